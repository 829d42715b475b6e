import { pause } from "../../../contract/clock.ts";
import type { Scenario } from "../../../engine/scenario.ts";

/** Time for the first lines to be printed before the sandbox goes. */
const PRINTING_MS = 500;

/** A sandbox is destroyed under a command that prints. */
export const cutStream: Scenario = {
  id: "exec.cut-stream",
  feeds: ["exec.no-forged-exit"],
  async run(lab) {
    const sandbox = await lab.sandbox();
    const printing = sandbox.exec(
      ["sh", "-c", "i=0; while [ $i -lt 600 ]; do echo line $i; i=$((i+1)); sleep 0.1; done"],
      {},
      { probe: "exec.no-forged-exit/destroyed" },
    );
    await pause(PRINTING_MS);
    await sandbox.destroy();
    await printing;
    await lab.watchTheEnd(sandbox);
  },
};
