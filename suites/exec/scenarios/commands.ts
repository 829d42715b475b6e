import { shuffled } from "../../../contract/random.ts";
import type { Scenario } from "../../../engine/scenario.ts";
import { exited, timedOut } from "../../exits.ts";

const CODES = [0, 1, 2, 7, 42, 126, 127, 128, 255];
const ARGUMENTS = [
  "a b",
  "",
  `it's`,
  `"double"`,
  "$HOME",
  "`id`",
  "$(id)",
  "two\nlines",
  "tab\there",
  "naïve 日本 🚀",
  "*",
  "\\n",
  "-n",
  "; exit 3",
  "",
];
/** Long enough to be cut by its timeout on any machine, short enough to end by itself. */
const LONGER_THAN_THE_TIMEOUT_S = 60;
const TIMEOUT_MS = 500;

/** Commands of known outcome, in one sandbox. */
export const commands: Scenario = {
  id: "exec.commands",
  feeds: ["exec.exit-code", "exec.streams-separate", "exec.argv-exact", "exec.timeout-prompt"],
  async run(lab) {
    const sandbox = await lab.sandbox();
    for (const code of shuffled(CODES, lab.random)) {
      await sandbox.exec(
        ["sh", "-c", `exit ${code}`],
        { expect: { exit: exited(code) } },
        { probe: `exec.exit-code/exit-${code}` },
      );
    }
    const streams = [
      ["single-bytes", "printf A; printf B >&2", "A", "B"],
      ["interleaved", "for i in 1 2 3 4; do echo out$i; echo err$i >&2; done", lines("out"), lines("err")],
      ["only-stderr", "printf nothing-else >&2", "", "nothing-else"],
    ] as const;
    for (const [name, script, stdout, stderr] of streams) {
      await sandbox.exec(
        ["sh", "-c", script],
        { expect: { exit: exited(0), stdout, stderr } },
        { probe: `exec.streams-separate/${name}` },
      );
    }
    const received = ARGUMENTS.map((argument) => `<${argument}>\0`).join("");
    await sandbox.exec(
      ["sh", "-c", `printf '<%s>\\0' "$@"`, "sh", ...ARGUMENTS],
      { expect: { exit: exited(0), stdout: received } },
      { probe: "exec.argv-exact/hard-arguments" },
    );
    await sandbox.exec(
      ["sh", "-c", `echo before; echo aside >&2; sleep ${LONGER_THAN_THE_TIMEOUT_S}`],
      { timeoutMs: TIMEOUT_MS, expect: { exit: timedOut, stdout: "before\n", stderr: "aside\n" } },
      { probe: "exec.timeout-prompt/sleeping" },
    );
    await sandbox.destroy();
  },
};

const lines = (word: string): string => [1, 2, 3, 4].map((n) => `${word}${n}\n`).join("");
