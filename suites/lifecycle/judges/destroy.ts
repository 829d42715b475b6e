import { notOk, type Operation, okValue } from "../../../history/view.ts";
import type { ErrorCode } from "../../../schemas/core.ts";
import { caseOf, eventsOf, judgeLoss } from "../../cases.ts";
import { all, type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";
import { absence, contradicts, lives, type Sighting, sightings, sightingsOf, toldAt } from "../../sightings.ts";

/** Ended observations in a row after which an end is believed. */
const AGREEING = 5;

interface Ended {
  readonly target: string;
  /** Undefined where a list told of it: no create gave one. */
  readonly id?: string;
  /** The first destroy that was acknowledged, and when; ns. */
  readonly destroy: Operation;
  readonly acknowledged: number;
  /** What was shown of it before and after the acknowledgement. */
  readonly before: readonly Sighting[];
  readonly after: readonly Sighting[];
}

const endOf = (
  subject: { readonly target: string; readonly id?: string },
  destroy: Operation,
  seen: readonly Sighting[],
): Ended => {
  const acknowledged = toldAt(destroy);
  const [before, after] = [seen.filter((s) => s.told <= acknowledged), seen.filter((s) => s.asked >= acknowledged)];
  return { ...subject, destroy, acknowledged, before, after };
};

/** Sandboxes whose destroy was acknowledged, with everything that was shown of them. */
const ended = (evidence: Evidence): Ended[] =>
  lives(evidence).flatMap((life) =>
    life.destroyed === undefined
      ? []
      : [endOf({ target: life.target, id: life.id }, life.destroyed, sightingsOf(evidence, life))],
  );

/** Ended within `endedMs`, and then {@link AGREEING} observations in a row agree. */
export function destroyEnds(evidence: Evidence): Judgement {
  const { history, waits } = evidence;
  let believed = 0;
  let doubtful = 0;
  for (const { target, after, acknowledged, destroy } of ended(evidence)) {
    const asked = history
      .byTarget(target)
      .filter((operation) => operation.f === "observe" && operation.invoke.t >= acknowledged);
    const observed = after.filter((s) => s.by === "observe");
    const late = observed.find((s) => contradicts(evidence, s, acknowledged));
    if (late !== undefined)
      return fail("port", saidBy(destroy, late), `ended within ${waits.endedMs} ms of destroy`, "observed live");
    const firstEnd = observed.findIndex((s) => !s.live);
    const agreeing = firstEnd === -1 ? [] : observed.slice(firstEnd);
    const back = agreeing.find((s) => s.live);
    if (back !== undefined) return fail("port", saidBy(destroy, back), "an end that stays", "observed live again");
    if (agreeing.length >= AGREEING) believed += 1;
    else if (asked.length > 0) doubtful += 1;
  }
  if (doubtful > 0)
    return unknown("indeterminate", `${doubtful} destroyed sandboxes were not observed ended ${AGREEING} times`);
  return believed === 0
    ? unknown("too-few", `no destroyed sandbox was observed ended ${AGREEING} times`)
    : pass("port", believed, `${believed} ends observed ${AGREEING} times or more`);
}

/** The processes of a destroyed sandbox, seen alive on the host before, are gone from it. */
export function destroyStopsProcesses(evidence: Evidence): Judgement {
  let stopped = 0;
  let unseen = 0;
  let undecided = 0;
  for (const { before, after, acknowledged, destroy } of ended(evidence)) {
    const tokens = after.filter((s) => s.by === "token");
    const late = tokens.find((s) => contradicts(evidence, s, acknowledged));
    if (late !== undefined)
      return fail("host", eventsOf(destroy), "its processes gone from the host", "a planted process still runs");
    const last = tokens.at(-1);
    if (last === undefined) continue;
    if (last.live) undecided += 1;
    else if (before.some((s) => s.by === "token" && s.live)) stopped += 1;
    else unseen += 1;
  }
  if (undecided > 0) return unknown("indeterminate", `${undecided} sandboxes were not watched until endedMs was over`);
  if (stopped > 0) return pass("host", stopped, `planted processes of ${stopped} sandboxes gone`);
  return unseen > 0
    ? unknown("control-failed", "the host table never saw a planted process alive")
    : unknown("no-witness", "no witness outside sees the sandbox's processes");
}

/** Errors that say nothing of what was asked: the way to the provider was disturbed. */
const DISTURBED: ReadonlySet<ErrorCode> = new Set([
  "rate-limited",
  "unreachable",
  "deadline-exceeded",
  "cancelled",
  "connection-lost",
  "unavailable",
]);

/** Every further destroy succeeds or is told that there is nothing. */
export function destroyIdempotent({ history }: Evidence): Judgement {
  const again = history.byProbe("lifecycle.destroy-idempotent").map((operation): Judgement => {
    const isRepeated = history
      .byTarget(operation.target ?? "")
      .some((other) => okValue(other, "destroy") !== undefined && other.index < operation.index);
    if (!isRepeated) return unknown("control-failed", "the first destroy did not succeed");
    const error = notOk(operation)?.error;
    if (error?.origin !== "reply")
      return judgeLoss(operation) ?? pass("port", 1, `destroyed again: ${caseOf(operation)}`);
    return DISTURBED.has(error.code)
      ? unknown("indeterminate", `a repeated destroy was disturbed (${error.code})`)
      : fail("port", eventsOf(operation), "a repeated destroy that succeeds or is told not-found", error.code);
  });
  const [first, ...rest] = again;
  if (first === undefined) return unknown("too-few", "nothing was destroyed twice");
  const verdict = all(first, ...rest);
  return verdict.status === "pass" ? pass("port", again.length, `${again.length} repeated destroys answered`) : verdict;
}

/** After `endedMs` nothing says that a sandbox lives whose destroy was answered ok, also when an earlier destroy was cut short. */
export function destroyTruthful(evidence: Evidence): Judgement {
  const { history } = evidence;
  const checked = new Set<string>();
  let host = false;
  for (const subject of [...ended(evidence), ...foundAndDestroyed(evidence)]) {
    const { target, after, acknowledged, destroy } = subject;
    const lie = after.find((s) => contradicts(evidence, s, acknowledged));
    if (lie !== undefined) {
      return fail(
        lie.event === undefined ? "host" : "port",
        saidBy(destroy, lie),
        "an acknowledged destroy that is true",
        `${lie.by} shows it live`,
      );
    }
    if (after.some((s) => !s.live) || absence(evidence, subject, acknowledged) !== undefined) checked.add(target);
    host ||= after.some((s) => s.event === undefined);
  }
  if (checked.size === 0) return unknown("too-few", "no acknowledged destroy was looked at afterwards");
  const cut = history.notes("fault-injected").filter(({ event }) => {
    const operation = event.of === undefined ? undefined : history.at(event.of);
    return operation?.f === "destroy" && operation.completion?.type !== "ok" && checked.has(operation.target ?? "");
  });
  if (cut.length === 0) return unknown("too-few", "no destroy was cut short by killing the adapter");
  return pass(
    host ? "host" : "port",
    checked.size,
    `${checked.size} destroys true, ${cut.length} of them after one was cut short`,
  );
}

/** Things whose create never answered but that were found and destroyed: their destroy must be as true. */
function foundAndDestroyed(evidence: Evidence): Ended[] {
  const answered = new Set(lives(evidence).map((life) => life.target));
  const found = new Map<string, Operation>();
  for (const destroy of evidence.history.byMethod("destroy")) {
    const { target } = destroy;
    if (target === undefined || target === "by" || answered.has(target) || found.has(target)) continue;
    if (okValue(destroy, "destroy") !== undefined) found.set(target, destroy);
  }
  return [...found].flatMap(([target, destroy]) => {
    const seen = sightings(evidence, target);
    const ids = new Set(seen.flatMap((s) => s.id ?? []));
    // Two sandboxes of one create are told apart by nothing here: that is `lifecycle.no-duplicate`.
    return ids.size > 1 ? [] : [endOf({ target }, destroy, seen)];
  });
}

const saidBy = (destroy: Operation, { event }: Sighting): number[] => [
  ...eventsOf(destroy),
  ...(event === undefined ? [] : [event]),
];
