import type { Scenario } from "../../../engine/scenario.ts";
import { newToken } from "../../../history/tokens.ts";
import { exited } from "../../exits.ts";

/** Values that shells, templates and line-based transports get wrong. */
const VALUES = {
  SP_QUOTES: `it's "quoted" \`here\``,
  SP_DOLLAR: "$HOME $(id) ${x} \\n %s",
  SP_NEWLINES: "first\nsecond\n\nlast",
  SP_BLANKS: "  around  ",
  SP_UNICODE: "naïve – 日本 🚀",
  SP_EQUALS: "a=b=c",
  SP_EMPTY: "",
} as const;

/** Everything in `spec.env` arrives byte for byte, and nothing of the runner's or the adapter's environment does. */
export const environment: Scenario = {
  id: "lifecycle.environment",
  feeds: ["lifecycle.env-delivered", "isolation.environment-clean"],
  async run(lab) {
    const delivered = `delivered-on-purpose-${newToken()}`;
    const sandbox = await lab.sandbox({ spec: { env: { ...VALUES, SP_CONTROL: delivered } } });
    const names = Object.keys(VALUES);
    const print = names.map((name) => `printf '%s=%s\\0' ${name} "\${${name}-unset}"`).join("; ");
    const expected = Object.entries(VALUES)
      .map(([name, value]) => `${name}=${value}\0`)
      .join("");
    await sandbox.exec(
      ["sh", "-c", print],
      { expect: { exit: exited(0), stdout: expected } },
      { probe: "lifecycle.env-delivered/values" },
    );

    const canaries = [delivered, lab.adapterCanary, ...lab.runnerCanaries];
    const read = "cat /proc/self/environ; env; cat /proc/1/environ 2>/dev/null; true";
    await sandbox.exec(["sh", "-c", read], { canaries }, { probe: "isolation.environment-clean/environ" });
    await sandbox.destroy();
  },
};
