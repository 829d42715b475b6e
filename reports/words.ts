/** The words in which verdicts and figures are told, the same in every report. */
import { idsOfProfile } from "../contract/requirements.ts";
import { type CheckResult, type Results, STATUSES, type Status } from "../schemas/documents.ts";

/** What nobody signed proves this much. */
export const SELF_REPORTED = "self-reported: unsigned; anyone could have rewritten it";

const NS_PER_SECOND = 1_000_000_000;
export const seconds = (ns: number): string => `${(ns / NS_PER_SECOND).toFixed(1)} s`;

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

export function conformanceWords(results: Results): string {
  const { conformance } = results.verdict;
  if (results.history === "truncated" && conformance === "unknown")
    return "unknown: nothing was violated in the recorded part, which proves no run";
  switch (conformance) {
    case "conformant":
      return conformant(results);
    case "passed-selection":
      return `passed (${selected(results)})`;
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

/** Never the bare word: of how many requirements it speaks belongs to it. */
function conformant({ checks, profile }: Results): string {
  const ids = new Set<string>(idsOfProfile(profile));
  const inProfile = checks.filter(({ id }) => ids.has(id));
  const decided = inProfile.filter(({ status }) => DECIDED.has(status)).length;
  const scope = `conformant in ${decided} of the ${ids.size} checks of profile ${profile}`;
  return decided === ids.size ? scope : `${scope}, ${ids.size - decided} not tested`;
}

const DECIDED: ReadonlySet<Status> = new Set(["pass", "fail", "unsupported", "not-applicable"]);

function selected({ checks, profile }: Results): string {
  const ids = new Set<string>(idsOfProfile(profile));
  const chosen = checks.filter(({ id, status }) => ids.has(id) && status !== "disabled");
  return `selected ${chosen.length} of ${ids.size} checks of the profile`;
}

const isSeen = ({ status }: Results["planes"][number]): boolean => status === "pass" || status === "fail";
/** How many planes were seen, of those that this provider has. */
export const seenPlanes = ({ planes }: Results): { readonly seen: number; readonly of: number } => ({
  seen: planes.filter(isSeen).length,
  of: planes.filter(({ status }) => status !== "not-applicable").length,
});

export function residueWords(results: Results): string {
  const { planes, history, verdict } = results;
  const unseen = planes.filter(({ status }) => status === "unknown").map(({ plane }) => plane);
  const but = unseen.length === 0 ? "" : `; not seen: ${unseen.join(", ")}`;
  const { seen, of } = seenPlanes(results);
  switch (verdict.residue) {
    case "none":
      return `none on ${seen} of ${of} planes${but}`;
    case "left":
      return `left on ${
        planes
          .filter(({ status }) => status === "fail")
          .map(({ plane }) => plane)
          .join(", ") || "a plane that no check names"
      }${but}`;
    case "unknown":
      return `${history === "truncated" ? "unknown: none in the recorded part" : "unknown"}${but}`;
  }
}

/** Items on a plane; a dash where nobody looked, since a zero would claim something. */
export const itemsOn = (plane: Results["planes"][number], moment: "during" | "after"): string =>
  isSeen(plane) ? String(plane[moment]) : "–";

/** A plane with nothing to see while sandboxes lived proves less than one that showed them and then was empty. */
export function planeWords({ status, during, others, detail }: Results["planes"][number]): string {
  const beside = others === 0 ? "" : `; ${others} new on the host that nothing attributes to the run`;
  if (status !== "pass") return `${status}: ${detail}${beside}`;
  return `${during === 0 ? "pass (none seen during the run either)" : "pass"}${beside}`;
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
    ({ status, deciding }) =>
      status === "harness-error" || (deciding && (status === "unknown" || status === "blocked")),
  );

export const failures = ({ checks }: Results): readonly CheckResult[] =>
  // Those that decide come first: they are why the verdict is what it is.
  checks.filter(({ status }) => status === "fail").sort((one, other) => Number(other.deciding) - Number(one.deciding));

export interface AreaCounts {
  readonly area: string;
  readonly total: number;
  readonly counts: Readonly<Record<Status, number>>;
}

/** In the order of the catalogue. */
export function byArea({ checks }: Results): readonly AreaCounts[] {
  const areas = Map.groupBy(checks, ({ area }) => area);
  return [...areas].map(([area, list]) => ({ area, total: list.length, counts: countStatuses(list) }));
}

/** Counted from the checks, so that no report can say other than what it lists. */
export function countStatuses(checks: readonly CheckResult[]): Record<Status, number> {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  for (const { status } of checks) counts[status] += 1;
  return counts;
}

/** Statuses worth a column: the two that everyone looks for, and those that occur. */
export function columns({ checks }: Results): readonly Status[] {
  const counts = countStatuses(checks);
  return STATUSES.filter((status) => status === "pass" || status === "fail" || counts[status] > 0);
}
