import { type Clock, NS_PER_MS, pause } from "../contract/clock.ts";
import { hasEnded } from "./lab.ts";
import type { Recorder, Subject } from "./recorder.ts";

const WHERE = { scenario: "harness.teardown" };
/** Rounds of list and destroy before what is still there is called left. */
const ROUNDS = 3;
const BETWEEN_ROUNDS_MS = 200;

export interface Tidied {
  readonly ended: number;
  readonly left: number;
}

export interface TearDownOptions {
  /** Spared: the bystander, until it was looked at. */
  readonly keep?: Subject;
  readonly clock: Clock;
  readonly boundMs: number;
}

/**
 * Destroys everything that the run owns or that bears its mark, and looks again.
 * An error here is recorded like any other and shows as something left; it never hides what came before.
 */
export async function tearDown(recorder: Recorder, { keep, clock, boundMs }: TearDownOptions): Promise<Tidied> {
  const { ownership } = recorder.parts;
  const deadline = clock.now() + boundMs * NS_PER_MS;
  const live = async (): Promise<Subject[]> => {
    await recorder.list(WHERE);
    return ownership.live().filter(({ id }) => id !== keep?.id);
  };
  let ended = 0;
  let left = await live();
  for (let round = 0; round < ROUNDS && left.length > 0 && clock.now() < deadline; round += 1) {
    for (const subject of left) {
      const done = await recorder.destroy(WHERE, subject);
      if (done.type === "ok") ended += 1;
    }
    await pause(BETWEEN_ROUNDS_MS);
    left = await stillLive(recorder, await live());
  }
  return { ended, left: left.length };
}

/** A list may be stale, and a destroy may be refused since there is nothing any more: the sandbox itself is asked. */
async function stillLive(recorder: Recorder, subjects: readonly Subject[]): Promise<Subject[]> {
  const found: Subject[] = [];
  for (const subject of subjects) {
    if (hasEnded(await recorder.observe(WHERE, subject))) recorder.parts.ownership.ended(subject.id);
    else found.push(subject);
  }
  return found;
}
