import { NS_PER_MS } from "../../../contract/clock.ts";
import type { Lab } from "../../../engine/lab.ts";
import type { Scenario } from "../../../engine/scenario.ts";
import { untilListed } from "../listed.ts";

/** Destroys that are tried, each with an earlier kill, until one was really cut short. */
const TRIES = 4;

/** The adapter dies while a sandbox lives, and again inside a destroy; a fresh one must find each and remove it. */
export const restart: Scenario = {
  id: "lifecycle.restart",
  alone: true,
  feeds: ["lifecycle.restart-recovers", "lifecycle.destroy-truthful", "residue.after-partial-failure"],
  async run(lab) {
    lab.host?.frame("killed-before");
    let within = (await timeOfADestroy(lab)) * lab.random();
    for (let n = 0; n < TRIES; n += 1) {
      const sandbox = await lab.sandbox();
      const token = await lab.plantToken(sandbox);
      await lab.killAdapter();
      await untilListed(lab, [sandbox.id], { probe: "lifecycle.restart-recovers/list" });
      await sandbox.observe();

      const cut = await sandbox.destroy({ fault: { kind: "kill-adapter", afterMs: within } });
      await lab.list("none");
      await sandbox.destroy({ probe: "lifecycle.restart-recovers/destroy" });
      await lab.watchTheEnd(sandbox, token);
      if (cut.type !== "ok") break;
      within /= 4;
    }
    await lab.host?.settle("killed-after", lab.waits.endedMs, "killed-before");
  },
};

async function timeOfADestroy(lab: Lab): Promise<number> {
  const sandbox = await lab.sandbox();
  const start = lab.clock.now();
  await sandbox.destroy();
  return (lab.clock.now() - start) / NS_PER_MS;
}
