import { type Clock, NS_PER_MS } from "../contract/clock.ts";
import { seededRandom } from "../contract/random.ts";
import { Bystander } from "./bystander.ts";
import { Abandoned, Interrupted, RecordLost } from "./errors.ts";
import { Lab } from "./lab.ts";
import type { Recorder } from "./recorder.ts";
import type { Scenario } from "./scenario.ts";
import { Allotment, tearDown } from "./teardown.ts";
import type { HostObserver } from "./witness.ts";

const HARNESS = "harness";

export type ScenarioOutcome = "completed" | "abandoned" | "crashed" | "interrupted" | "skipped";

/** What a person who watches is told. */
export interface Progress {
  started(scenario: string, index: number, total: number): void;
  finished(scenario: string, outcome: ScenarioOutcome, reason: string | undefined): void;
}

export interface Plan {
  readonly recorder: Recorder;
  /** Those that apply to the subject, in order. */
  readonly scenarios: readonly Scenario[];
  readonly host: HostObserver | undefined;
  readonly seed: number;
  /** Scenarios at once. */
  readonly jobs: number;
  readonly clock: Clock;
  readonly budget: { readonly timeMs: number; readonly sandboxes: number };
  readonly progress: Progress;
}

export interface Executed {
  /** Sandboxes that could not be removed; with more than none the journal must stay. */
  readonly left: number;
  /** Errors of our own in scenarios, for the person at the terminal. */
  readonly crashes: readonly unknown[];
  /** Why nothing could be tried, when that is so. */
  readonly notReady: readonly { readonly what: string; readonly fix: string }[];
}

/** Runs the scenarios one after the other, then removes all that the run made. Decides nothing. */
export async function execute(plan: Plan): Promise<Executed> {
  const { recorder, host } = plan;
  host?.frame("before");
  const crashes: unknown[] = [];
  let bystander: Bystander | undefined;
  try {
    const checked = await recorder.check({ scenario: HARNESS });
    if (checked.type === "ok" && !checked.value.ready) {
      await recorder.closeAdapter();
      host?.frame("after");
      return { left: 0, crashes, notReady: checked.value.problems };
    }
    const made = await Bystander.create(recorder, host);
    if (made instanceof Bystander) {
      bystander = made;
      host?.frame("during");
      await runScenarios(plan, crashes);
    }
  } catch (thrown) {
    if (!isStop(thrown)) crashes.push(thrown);
  }
  const left = await windUp(plan, bystander, crashes);
  return { left, crashes, notReady: [] };
}

/** The run is to stop: nothing of ours went wrong. */
const isStop = (thrown: unknown): boolean => thrown instanceof Interrupted || thrown instanceof RecordLost;

/** Scenarios that bear company run `jobs` at once; those that must be alone follow, one after the other. */
async function runScenarios(plan: Plan, crashes: unknown[]): Promise<void> {
  const { length: total } = plan.scenarios;
  const queue = plan.scenarios.map((scenario, index) => ({ scenario, place: { index, total } }));
  const shared = queue.filter(({ scenario }) => scenario.alone !== true);
  const worker = async () => {
    for (let next = shared.shift(); next !== undefined; next = shared.shift())
      await runNext(plan, next.scenario, next.place, crashes);
  };
  await Promise.all(Array.from({ length: plan.jobs }, worker));
  for (const { scenario, place } of queue) if (scenario.alone === true) await runNext(plan, scenario, place, crashes);
}

async function runNext(
  plan: Plan,
  scenario: Scenario,
  place: { index: number; total: number },
  crashes: unknown[],
): Promise<void> {
  const { recorder, progress } = plan;
  if (recorder.parts.interrupt.aborted || recorder.lost !== undefined) return;
  progress.started(scenario.id, place.index, place.total);
  recorder.note("scenario-started", scenario.id, {});
  const spent = spentBudget(plan);
  const end: End = spent === undefined ? await runOne(plan, scenario, crashes) : { outcome: "skipped", reason: spent };
  const { outcome, reason } = end;
  recorder.note("scenario-ended", scenario.id, reason === undefined ? { outcome } : { outcome, reason });
  progress.finished(scenario.id, outcome, end.detail ?? reason);
}

function spentBudget({ clock, budget, recorder }: Plan): string | undefined {
  if (clock.now() / NS_PER_MS > budget.timeMs) return "time budget spent";
  return recorder.made >= budget.sandboxes ? "sandbox budget spent" : undefined;
}

interface End {
  readonly outcome: ScenarioOutcome;
  readonly reason?: string;
  readonly detail?: string;
}

async function runOne({ recorder, host, seed }: Plan, scenario: Scenario, crashes: unknown[]): Promise<End> {
  try {
    await scenario.run(new Lab(recorder, scenario.id, host, seededRandom(seed, scenario.id)));
    return { outcome: "completed" };
  } catch (thrown) {
    // A call that the interrupt cancelled ends its scenario too.
    if (isStop(thrown) || (thrown instanceof Abandoned && recorder.parts.interrupt.aborted))
      return { outcome: "interrupted" };
    if (thrown instanceof Abandoned)
      return { outcome: "abandoned", reason: thrown.reason, detail: `${thrown.reason}: ${thrown.message}` };
    crashes.push(thrown);
    return { outcome: "crashed" };
  }
}

/** Everything goes, the bystander last and after a last look at it; then the host is looked at once more. */
async function windUp(plan: Plan, bystander: Bystander | undefined, crashes: unknown[]): Promise<number> {
  const { recorder, host, clock } = plan;
  const { waits } = recorder.parts;
  recorder.beginTeardown();
  const time = new Allotment(clock, waits.destroyMs + waits.endedMs);
  try {
    const subjects = await tearDown(recorder, time, bystander?.subject);
    await bystander?.look(time.leftMs);
    const rest = await tearDown(recorder, time);
    recorder.note("teardown", HARNESS, {
      attempts: recorder.made,
      ended: subjects.ended + rest.ended,
      left: rest.left,
    });
    await recorder.closeAdapter();
    await host?.settle("after", waits.endedMs);
    return rest.left;
  } catch (thrown) {
    crashes.push(thrown);
    return Math.max(1, recorder.parts.ownership.live().length);
  }
}
