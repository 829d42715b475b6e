import type { Scenario } from "../../../engine/scenario.ts";
import { untilFound } from "../listed.ts";

/** A create whose reply never arrives, by an adapter that dies right after: only the mark can still tell whose it is. */
export const lostReply: Scenario = {
  id: "lifecycle.lost-reply",
  alone: true,
  feeds: ["lifecycle.lost-create-found", "lifecycle.no-duplicate", "lifecycle.no-phantom"],
  async run(lab) {
    const lost = await lab.create({ fault: { kind: "drop-reply" } });
    await lab.killAdapter();
    await lab.settle();
    await untilFound(lab, lost.attempt, { probe: "lifecycle.lost-create-found/list" });
    for (const sandbox of lab.found(lost.attempt)) {
      await sandbox.destroy({ probe: "lifecycle.lost-create-found/destroy" });
      await lab.watchTheEnd(sandbox);
    }
  },
};
