import { type Clock, NS_PER_MS, pause } from "../contract/clock.ts";
import type { Where } from "./call-recorder.ts";
import { hasEnded } from "./lab.ts";
import type { Recorder, Subject } from "./recorder.ts";

const SCENARIO = "harness.teardown";
/** Rounds of list and destroy before what is still there is called left. */
const ROUNDS = 3;
const BETWEEN_ROUNDS_MS = 200;
/** Every call gets this much, also when the time of all is over: a destroy that is not sent is residue. */
const AT_LEAST_MS = 1_000;

/** The time that all tidying up together may take. */
export class Allotment {
  readonly #clock: Clock;
  readonly #end: number;

  constructor(clock: Clock, boundMs: number) {
    this.#clock = clock;
    this.#end = clock.now() + boundMs * NS_PER_MS;
  }

  get isSpent(): boolean {
    return this.#clock.now() >= this.#end;
  }

  get leftMs(): number {
    return Math.max(AT_LEAST_MS, (this.#end - this.#clock.now()) / NS_PER_MS);
  }
}

export interface Tidied {
  readonly ended: number;
  readonly left: number;
}

/**
 * Destroys everything that the run owns or that bears its mark, and looks again. `keep` is spared: the bystander, until it was
 * looked at. An error here is recorded like any other and shows as something left; it never hides what came before.
 */
export async function tearDown(recorder: Recorder, time: Allotment, keep?: Subject): Promise<Tidied> {
  const { ownership } = recorder.parts;
  const where = () => ({ scenario: SCENARIO, deadlineMs: time.leftMs });
  let listsAnswer = true;
  const live = async (): Promise<Subject[]> => {
    // A list that never answers is asked once: what is known by id is destroyed all the same.
    if (listsAnswer) listsAnswer = (await recorder.list(where())).type === "ok";
    return ownership.live().filter(({ id }) => id !== keep?.id);
  };
  let ended = 0;
  let left = await live();
  for (let round = 0; round < ROUNDS && left.length > 0 && !(round > 0 && time.isSpent); round += 1) {
    for (const subject of left) {
      const done = await recorder.destroy(where(), subject);
      if (done.type === "ok") ended += 1;
    }
    await pause(BETWEEN_ROUNDS_MS);
    left = await stillLive(recorder, await live(), where);
  }
  return { ended, left: left.length };
}

/** A list may be stale, and a destroy may be refused since there is nothing any more: the sandbox itself is asked. */
async function stillLive(recorder: Recorder, subjects: readonly Subject[], where: () => Where): Promise<Subject[]> {
  const found: Subject[] = [];
  for (const subject of subjects) {
    if (hasEnded(await recorder.observe(where(), subject))) recorder.parts.ownership.ended(subject.id);
    else found.push(subject);
  }
  return found;
}
