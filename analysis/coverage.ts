/** Whether a check got the evidence that it was to be judged by: scenarios may end half way. */
import type { HistoryView } from "../history/view.ts";
import type { UnknownCause } from "../schemas/documents.ts";
import type { NoteValue } from "../schemas/event.ts";
import { lostByAdapter } from "../suites/cases.ts";
import { SCENARIOS } from "../suites/catalogue.ts";
import type { Check, Evidence } from "../suites/check.ts";

type Outcome = NoteValue<"scenario-ended">["outcome"] | "not run";

/** What is missing of a check's evidence: `crashed` is our own fault, everything else leaves the check undecided. */
export type Gap =
  | { readonly kind: "crashed"; readonly detail: string }
  | { readonly kind: "incomplete"; readonly cause: UnknownCause; readonly detail: string };

/**
 * Undefined when every scenario that feeds the check and applies to the subject ran to its end. None feeds what the engine frames round
 * every run: residue is judged whatever became of the scenarios.
 */
export function gapOf(check: Check, { history, environment }: Evidence): Gap | undefined {
  const ends = history.notes("scenario-ended");
  const feeding = SCENARIOS.filter(
    ({ feeds, needs }) =>
      feeds.includes(check.id) && (needs === undefined || Object.hasOwn(environment.capabilities, needs)),
  );
  const gaps = feeding.flatMap(({ id }): Gap[] => {
    const own = ends.filter(({ event }) => event.scenario === id).map(({ value }) => value);
    const short = own.length === 0 ? { outcome: "not run" as const } : own.find((end) => end.outcome !== "completed");
    return short === undefined ? [] : [gap(history, id, short)];
  });
  return gaps.find(({ kind }) => kind === "crashed") ?? gaps[0];
}

function gap(
  history: HistoryView,
  scenario: string,
  end: { readonly outcome: Outcome; readonly reason?: string },
): Gap {
  if (end.outcome === "crashed") return { kind: "crashed", detail: `our scenario ${scenario} crashed` };
  const detail = `scenario ${scenario}: ${end.outcome}${end.reason === undefined ? "" : ` (${end.reason})`}`;
  const last = history.byScenario(scenario).at(-1);
  const byAdapter = end.outcome === "abandoned" && last !== undefined && lostByAdapter(last);
  return { kind: "incomplete", cause: byAdapter ? "adapter-fault" : "too-few", detail };
}
