import { NS_PER_MS } from "../../../contract/clock.ts";
import type { Scenario } from "../../../engine/scenario.ts";

/** The adapter dies while a sandbox lives, and again inside a destroy; a fresh one must find it and remove it. */
export const restart: Scenario = {
  id: "lifecycle.restart",
  feeds: ["lifecycle.restart-recovers", "lifecycle.destroy-truthful", "residue.after-partial-failure"],
  async run(lab) {
    lab.host?.frame("killed-before");
    const start = lab.clock.now();
    const first = await lab.sandbox();
    await first.destroy();
    const within = ((lab.clock.now() - start) / NS_PER_MS / 4) * lab.random();

    const second = await lab.sandbox();
    const token = await lab.plantToken(second);
    await lab.killAdapter();
    await lab.list("none", { probe: "lifecycle.restart-recovers/list" });
    await second.observe();

    await second.destroy({ fault: { kind: "kill-adapter", afterMs: within } });
    await lab.list("none");
    await second.destroy({ probe: "lifecycle.restart-recovers/destroy" });
    await lab.watchTheEnd(second, token);
    await lab.host?.settle("killed-after", lab.waits.endedMs);
  },
};
