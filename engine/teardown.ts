import { type Clock, NS_PER_MS, pause } from "../contract/clock.ts";
import type { Recorder, Subject } from "./recorder.ts";

const SCENARIO = "harness.teardown";
/** Rounds of destroy and list before what is still there is called left. */
const ROUNDS = 3;
const BETWEEN_ROUNDS_MS = 200;

export interface Tidied {
  readonly ended: number;
  readonly left: number;
}

/**
 * Destroys everything that the run owns or that bears its mark, and looks again. `keep` is spared.
 * An error here is recorded like any other and shows as something left; it never hides what came before.
 */
export async function tearDown(
  recorder: Recorder,
  options: { readonly keep?: Subject; readonly clock: Clock; readonly boundMs: number },
): Promise<Tidied> {
  const { ownership } = recorder.parts;
  const spared = (id: string) => id === options.keep?.id;
  const deadline = options.clock.now() + options.boundMs * NS_PER_MS;
  let ended = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (options.clock.now() > deadline) break;
    await recorder.list({ scenario: SCENARIO });
    const live = ownership.live().filter(({ id }) => !spared(id));
    if (live.length === 0 && round > 0) break;
    for (const subject of live) {
      const done = await recorder.destroy({ scenario: SCENARIO }, subject);
      if (done.type !== "ok") continue;
      ownership.ended(subject.id);
      ended += 1;
    }
    await pause(BETWEEN_ROUNDS_MS);
  }
  return { ended, left: ownership.live().filter(({ id }) => !spared(id)).length };
}
