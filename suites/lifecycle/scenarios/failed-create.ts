import { NS_PER_MS } from "../../../contract/clock.ts";
import type { Lab } from "../../../engine/lab.ts";
import type { PlantedFault } from "../../../engine/recorder.ts";
import type { Scenario } from "../../../engine/scenario.ts";
import { newToken } from "../../../history/tokens.ts";
import type { Spec } from "../../../schemas/messages.ts";

/** Every way to make a create fail that the subject allows; afterwards each plane must be as before. */
export const failedCreate: Scenario = {
  id: "lifecycle.failed-create",
  feeds: ["lifecycle.create-failed-clean", "residue.after-partial-failure"],
  async run(lab) {
    const half = await halfOfACreate(lab);
    await provoke(lab, "cancelled", { fault: { kind: "cancel", afterMs: half } });
    await provoke(lab, "adapter-killed", { fault: { kind: "kill-adapter", afterMs: half } });
    const { mainProcess, images } = lab.description.capabilities;
    if (mainProcess !== undefined)
      await provoke(lab, "no-such-command", { spec: { command: ["/sandproof-no-such-file"] } });
    if (images !== undefined)
      await provoke(lab, "no-such-image", { spec: { image: `sandproof-no-such-image-${newToken()}` } });
  },
};

async function halfOfACreate(lab: Lab): Promise<number> {
  const start = lab.clock.now();
  const made = await lab.create();
  const took = lab.clock.now() - start;
  if (made.type === "ok") await made.value.destroy();
  return took / NS_PER_MS / 2;
}

async function provoke(lab: Lab, name: string, how: { fault?: PlantedFault; spec?: Spec }): Promise<void> {
  lab.host?.frame(`${name}-before`);
  const { attempt } = await lab.create({ ...how, probe: `lifecycle.create-failed-clean/${name}` });
  await lab.settle();
  await lab.list();
  for (const sandbox of lab.found(attempt)) {
    await sandbox.destroy();
    await lab.watchTheEnd(sandbox);
  }
  await lab.list();
  await lab.host?.settle(`${name}-after`, lab.waits.endedMs, `${name}-before`);
}
