/** The words in which verdicts and figures are told, the same in every report. */
import type { CheckResult, Results, Status } from "../schemas/documents.ts";

/** What nobody signed proves this much. */
export const SELF_REPORTED = "self-reported: unsigned; anyone could have rewritten it";

const NS_PER_SECOND = 1_000_000_000;
export const seconds = (ns: number): string => `${(ns / NS_PER_SECOND).toFixed(1)} s`;

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** A history without its end can at best say that nothing was violated so far. */
const upTo = ({ history }: Results, words: string): string =>
  history === "complete" ? words : `${words}, up to where the history breaks off`;

export function conformanceWords(results: Results): string {
  switch (results.verdict.conformance) {
    case "conformant":
      return upTo(results, `conformant, ${results.notTested.length} not tested`);
    case "passed-selection":
      return upTo(results, `passed a selection (${judged(results)} of the checks; not a statement about the profile)`);
    case "violated":
      return "violated";
    case "unknown":
      return "unknown: the evidence does not decide";
    case "blocked":
      return "blocked: could not be tried";
    case "harness-error":
      return "harness error: a fault of this program, no verdict";
  }
}

const judged = ({ checks }: Results): number => checks.filter(({ status }) => status === "pass").length;

export function residueWords(results: Results): string {
  switch (results.verdict.residue) {
    case "none":
      return upTo(results, "none");
    case "left":
      return "left behind";
    case "unknown":
      return "unknown: not every plane could be seen";
  }
}

export const MARKS: Readonly<Record<Status, string>> = {
  pass: "✔",
  fail: "✘",
  unknown: "?",
  unsupported: "–",
  "not-applicable": "–",
  disabled: "○",
  blocked: "■",
  "harness-error": "!",
};

export const statusWords = ({ status, cause }: Pick<CheckResult, "status" | "cause">): string =>
  cause === undefined ? status : `${status} (${cause})`;

/** Deciding checks that keep a run from being conformant without being violations. */
export const undecided = ({ checks }: Results): readonly CheckResult[] =>
  checks.filter(
    ({ status, deciding }) => status === "harness-error" || (deciding && (status === "unknown" || status === "blocked")),
  );

export const failures = ({ checks }: Results): readonly CheckResult[] =>
  // Those that decide come first: they are why the verdict is what it is.
  checks.filter(({ status }) => status === "fail").sort((one, other) => Number(other.deciding) - Number(one.deciding));

export interface AreaCounts {
  readonly area: string;
  readonly counts: Readonly<Record<Status, number>>;
}

/** In the order of the catalogue. */
export function byArea({ checks }: Results): readonly AreaCounts[] {
  const areas = Map.groupBy(checks, ({ area }) => area);
  return [...areas].map(([area, list]) => ({ area, counts: countStatuses(list) }));
}

function countStatuses(checks: readonly CheckResult[]): Record<Status, number> {
  const counts = Object.fromEntries(Object.keys(MARKS).map((status) => [status, 0])) as Record<Status, number>;
  for (const { status } of checks) counts[status] += 1;
  return counts;
}

/** Statuses worth a column: the two that everyone looks for, and those that occur. */
export const columns = ({ counts }: Results): readonly Status[] =>
  (Object.keys(MARKS) as Status[]).filter((status) => status === "pass" || status === "fail" || counts[status] > 0);
