import { okValue } from "../../../history/view.ts";
import { caseOf, eventsOf, judgeLoss } from "../../cases.ts";
import { all, type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";
import { type Life, lives, ms, type Sighting, sightings, toldAt } from "../../sightings.ts";

/** Ended observations in a row after which an end is believed. */
const AGREEING = 5;

interface Ended extends Life {
  readonly acknowledged: number;
  readonly events: readonly number[];
  /** What was said of it after the acknowledgement. */
  readonly after: readonly Sighting[];
}

/** Sandboxes whose destroy was acknowledged, with everything that was seen of them afterwards. */
function ended(evidence: Evidence): Ended[] {
  return lives(evidence).flatMap((life) => {
    if (life.destroyed === undefined) return [];
    const acknowledged = toldAt(life.destroyed);
    const after = sightings(evidence, life.target).filter((s) => s.asked >= acknowledged);
    return [{ ...life, acknowledged, events: eventsOf(life.destroyed), after }];
  });
}

/** Ended within `endedMs`, and then {@link AGREEING} observations in a row agree. */
export function destroyEnds(evidence: Evidence): Judgement {
  let believed = 0;
  for (const { acknowledged, after, events } of ended(evidence)) {
    const observed = after.filter((s) => s.by === "observe");
    const bound = acknowledged + ms(evidence.waits.endedMs);
    const firstEnd = observed.findIndex((s) => !s.live);
    const late = observed.find((s) => s.live && s.asked > bound);
    if (late !== undefined)
      return fail(
        "port",
        [...events, late.event],
        `ended within ${evidence.waits.endedMs} ms of destroy`,
        "observed live",
      );
    const back = firstEnd === -1 ? undefined : observed.slice(firstEnd).find((s) => s.live);
    if (back !== undefined) return fail("port", [...events, back.event], "an end that stays", "observed live again");
    if (firstEnd !== -1 && observed.length - firstEnd >= AGREEING) believed += 1;
  }
  return believed === 0
    ? unknown("too-few", `no destroyed sandbox was observed ended ${AGREEING} times`)
    : pass("port", believed, `${believed} ends observed ${AGREEING} times or more`);
}

/** The processes of a destroyed sandbox, seen alive on the host before, are gone from it. */
export function destroyStopsProcesses(evidence: Evidence): Judgement {
  let stopped = 0;
  let unseen = 0;
  for (const life of ended(evidence)) {
    const tokens = sightings(evidence, life.target).filter((s) => s.by === "token");
    if (!tokens.some((s) => s.live && s.told <= life.acknowledged)) {
      unseen += tokens.length;
      continue;
    }
    const last = tokens.findLast((s) => s.asked >= life.acknowledged);
    if (last === undefined) continue;
    if (last.live) return fail("host", life.events, "its processes gone from the host", "a planted process still runs");
    stopped += 1;
  }
  if (stopped > 0) return pass("host", stopped, `planted processes of ${stopped} sandboxes gone`);
  return unseen > 0
    ? unknown("control-failed", "the host table never saw a planted process alive")
    : unknown("no-witness", "no witness outside sees the sandbox's processes");
}

/** Every further destroy succeeds or is told that there is nothing. */
export function destroyIdempotent(evidence: Evidence): Judgement {
  const again = evidence.history.byProbe("lifecycle.destroy-idempotent");
  const [first, ...rest] = again.map(
    (operation) => judgeLoss(operation) ?? pass("port", 1, `destroyed again: ${caseOf(operation)}`),
  );
  if (first === undefined) return unknown("too-few", "nothing was destroyed twice");
  const verdict = all(first, ...rest);
  return verdict.status === "pass" ? pass("port", again.length, `${again.length} repeated destroys answered`) : verdict;
}

/** After `endedMs` nothing says that a sandbox lives whose destroy was answered ok, also when an earlier destroy was cut short. */
export function destroyTruthful(evidence: Evidence): Judgement {
  const subjects = [...ended(evidence), ...foundAndDestroyed(evidence)];
  let checked = 0;
  for (const { acknowledged, after, events } of subjects) {
    const bound = acknowledged + ms(evidence.waits.endedMs);
    const lie = after.find((s) => s.live && s.asked > bound);
    if (lie !== undefined) {
      const source = lie.by === "token" || lie.by === "native" ? "host" : "port";
      return fail(
        source,
        [...events, ...(lie.event < 0 ? [] : [lie.event])],
        "an acknowledged destroy that is true",
        `${lie.by} shows it live`,
      );
    }
    if (after.some((s) => !s.live)) checked += 1;
  }
  if (checked === 0) return unknown("too-few", "no acknowledged destroy was looked at afterwards");
  const cut = evidence.history
    .notes("fault-injected")
    .filter(({ event }) => event.of !== undefined && evidence.history.at(event.of)?.f === "destroy");
  if (cut.length === 0) return unknown("too-few", "no destroy was cut short by killing the adapter");
  return pass("host", checked, `${checked} destroys true, ${cut.length} of them after one was cut short`);
}

/** Things whose create never answered but that were found and destroyed: their destroy must be as true. */
function foundAndDestroyed(evidence: Evidence): Omit<Ended, "target" | "create" | "destroyed">[] {
  const answered = new Set(lives(evidence).map((life) => life.target));
  return evidence.history.byMethod("destroy").flatMap((destroy) => {
    const { target } = destroy;
    if (target === undefined || target === "by" || answered.has(target) || okValue(destroy, "destroy") === undefined)
      return [];
    const acknowledged = toldAt(destroy);
    return [
      {
        acknowledged,
        events: eventsOf(destroy),
        after: sightings(evidence, target).filter((s) => s.asked >= acknowledged),
      },
    ];
  });
}
