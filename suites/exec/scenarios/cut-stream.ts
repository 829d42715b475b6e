import type { Scenario } from "../../../engine/scenario.ts";

/** A sandbox is destroyed under a command that prints. */
export const cutStream: Scenario = {
  id: "exec.cut-stream",
  feeds: ["exec.no-forged-exit"],
  async run(lab) {
    const sandbox = await lab.sandbox();
    const begun = Promise.withResolvers<void>();
    const printing = sandbox.exec(
      ["sh", "-c", "i=0; while [ $i -lt 600 ]; do echo line $i; i=$((i+1)); sleep 0.1; done"],
      { onFirstOutput: begun.resolve },
      { probe: "exec.no-forged-exit/destroyed" },
    );
    await Promise.race([begun.promise, printing]);
    await sandbox.destroy();
    await printing;
    await lab.watchTheEnd(sandbox);
  },
};
