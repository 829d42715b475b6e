import type { Scenario } from "../../../engine/scenario.ts";

/** Asks for what is not declared: only a refusal that was seen makes a check `unsupported`. */
export const undeclared: Scenario = {
  id: "adapter.undeclared",
  feeds: ["files.round-trip", "files.visible-both-ways"],
  async run(lab) {
    if (lab.description.capabilities.files !== undefined) return;
    const sandbox = await lab.sandbox();
    await sandbox.stat(lab.description.guest.workdir, { probe: "adapter.undeclared-refused/files" });
    await sandbox.destroy();
  },
};
