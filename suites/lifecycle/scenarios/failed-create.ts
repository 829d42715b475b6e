import { NS_PER_MS } from "../../../contract/clock.ts";
import type { PlantedFault } from "../../../engine/call-recorder.ts";
import type { Lab } from "../../../engine/lab.ts";
import type { Scenario } from "../../../engine/scenario.ts";
import { newToken } from "../../../history/tokens.ts";
import type { Spec } from "../../../schemas/messages.ts";
import { untilFound, untilUnlisted } from "../listed.ts";

/** Creates that are tried, each with an earlier fault, until one was struck before it ended. */
const TRIES = 4;

/** Every way to make a create fail that the subject allows; afterwards each plane must be as before. */
export const failedCreate: Scenario = {
  id: "lifecycle.failed-create",
  alone: true,
  feeds: ["lifecycle.create-failed-clean", "residue.after-partial-failure"],
  async run(lab) {
    const half = await halfOfACreate(lab);
    await strike(lab, "cancelled", "cancel", half);
    await strike(lab, "adapter-killed", "kill-adapter", half);
    const { mainProcess, images } = lab.description.capabilities;
    if (mainProcess !== undefined)
      await provoke(lab, "no-such-command", { spec: { command: ["/sandproof-no-such-file"] } });
    if (images !== undefined)
      await provoke(lab, "no-such-image", { spec: { image: `sandproof-no-such-image-${newToken()}` } });
  },
};

/** One create may be twice as fast as another: what ended before its fault is tried again, with an earlier one. */
async function strike(lab: Lab, name: string, kind: "cancel" | "kill-adapter", afterMs: number): Promise<void> {
  for (let n = 0; n < TRIES; n += 1) {
    const ended = await provoke(lab, name, { fault: { kind, afterMs: afterMs / 2 ** n } });
    if (ended !== "ok") return;
  }
}

async function halfOfACreate(lab: Lab): Promise<number> {
  const start = lab.clock.now();
  const made = await lab.create();
  const took = lab.clock.now() - start;
  if (made.type === "ok") await made.value.destroy();
  return took / NS_PER_MS / 2;
}

async function provoke(
  lab: Lab,
  name: string,
  how: { fault?: PlantedFault; spec?: Spec },
): Promise<"ok" | "fail" | "info"> {
  const { listStaleMs, endedMs } = lab.waits;
  lab.host?.frame(`${name}-before`);
  const { attempt, type } = await lab.create({ ...how, probe: `lifecycle.create-failed-clean/${name}` });
  await lab.settle();
  await untilFound(lab, attempt);
  for (const sandbox of lab.found(attempt)) {
    await sandbox.destroy();
    await lab.watchTheEnd(sandbox);
  }
  await untilUnlisted(lab, [attempt], listStaleMs + endedMs);
  await lab.host?.settle(`${name}-after`, endedMs, `${name}-before`);
  return type;
}
