import { type Clock, NS_PER_MS } from "../contract/clock.ts";
import { Bystander } from "./bystander.ts";
import { Abandoned, Interrupted } from "./errors.ts";
import { Lab } from "./lab.ts";
import type { Random } from "../contract/random.ts";
import type { Recorder } from "./recorder.ts";
import { applies, type Scenario } from "./scenario.ts";
import { tearDown } from "./teardown.ts";
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
  readonly scenarios: readonly Scenario[];
  readonly host: HostObserver | undefined;
  readonly random: Random;
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
  const checked = await recorder.check({ scenario: HARNESS });
  if (checked.type === "ok" && !checked.value.ready) {
    host?.frame("after");
    return { left: 0, crashes: [], notReady: checked.value.problems };
  }
  const crashes: unknown[] = [];
  let bystander: Bystander | undefined;
  try {
    const made = await Bystander.create(recorder, host);
    if (made instanceof Bystander) {
      bystander = made;
      host?.frame("during");
      await runScenarios(plan, crashes);
    }
  } catch (thrown) {
    if (!(thrown instanceof Interrupted)) crashes.push(thrown);
  }
  const left = await windUp(plan, bystander, crashes);
  return { left, crashes, notReady: [] };
}

async function runScenarios(plan: Plan, crashes: unknown[]): Promise<void> {
  const { recorder, scenarios, host, clock, budget, progress } = plan;
  const applicable = scenarios.filter((scenario) => applies(scenario, recorder.parts.description));
  for (const [index, scenario] of applicable.entries()) {
    progress.started(scenario.id, index, applicable.length);
    recorder.note("scenario-started", scenario.id, {});
    const spent =
      clock.now() / NS_PER_MS > budget.timeMs
        ? "time budget spent"
        : recorder.made >= budget.sandboxes
          ? "sandbox budget spent"
          : undefined;
    const end =
      spent === undefined
        ? await runOne(plan, scenario, host, crashes)
        : { outcome: "skipped" as const, reason: spent };
    recorder.note(
      "scenario-ended",
      scenario.id,
      end.reason === undefined ? { outcome: end.outcome } : { outcome: end.outcome, reason: end.reason },
    );
    progress.finished(scenario.id, end.outcome, end.detail ?? end.reason);
    if (end.outcome === "interrupted") return;
  }
}

interface End {
  readonly outcome: ScenarioOutcome;
  readonly reason?: string;
  readonly detail?: string;
}

async function runOne(
  plan: Plan,
  scenario: Scenario,
  host: HostObserver | undefined,
  crashes: unknown[],
): Promise<End> {
  try {
    await scenario.run(new Lab(plan.recorder, scenario.id, host, plan.random));
    return { outcome: "completed" };
  } catch (thrown) {
    if (thrown instanceof Interrupted) return { outcome: "interrupted" };
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
  const bound = { clock, boundMs: waits.destroyMs + waits.endedMs };
  try {
    const subjects = await tearDown(recorder, {
      ...bound,
      ...(bystander === undefined ? {} : { keep: bystander.subject }),
    });
    await bystander?.look();
    const rest = await tearDown(recorder, bound);
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
