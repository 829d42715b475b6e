/** What a run's attempts left: nothing that none of them made, nothing twice, nothing that cannot be found. */
import { invokeValue, notOk, type Operation, okValue } from "../../../history/view.ts";
import { eventsOf, judgeLoss } from "../../cases.ts";
import { all, type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";
import { absence, completeLists, contradicts, ms, sightings, toldAt } from "../../sightings.ts";

/** Nothing bears the run's mark that no attempt made. */
export function noPhantom(evidence: Evidence): Judgement {
  let ours = 0;
  for (const list of evidence.history.byMethod("list")) {
    for (const item of okValue(list, "list")?.items ?? []) {
      if (!item.bearsRun) continue;
      if (item.attempt === undefined)
        return fail(
          "port",
          eventsOf(list),
          "only what an attempt made bears the run's mark",
          "a marked item of no attempt",
        );
      ours += 1;
    }
  }
  const lists = completeLists(evidence).length;
  if (lists === 0) return unknown("too-few", "no complete list");
  return ours === 0
    ? unknown("control-failed", "no list ever showed the run's mark on anything")
    : pass("port", lists, `${lists} complete lists`);
}

/** One attempt has at most one id, over acknowledgements and all lists, also where the reply was lost. */
export function noDuplicate(evidence: Evidence): Judgement {
  const { history } = evidence;
  const firstSeen = new Map<string, { id: string; event: number }>();
  for (const create of history.byMethod("create")) {
    const attempt = invokeValue(create, "create")?.attempt;
    const made = okValue(create, "create");
    if (attempt !== undefined && made !== undefined) firstSeen.set(attempt, { id: made.id, event: create.index });
  }
  for (const list of history.byMethod("list")) {
    for (const { attempt, id } of okValue(list, "list")?.items ?? []) {
      if (attempt === undefined) continue;
      const before = firstSeen.get(attempt);
      if (before !== undefined && before.id !== id)
        return fail("port", [before.event, list.index], "one sandbox for one create", "two ids of one attempt");
      firstSeen.set(attempt, before ?? { id, event: list.index });
    }
  }
  const lost = lostCreates(evidence);
  if (lost.length === 0) return unknown("too-few", "no create lost its reply");
  const isShown = (create: Operation) => firstSeen.has(invokeValue(create, "create")?.attempt ?? "");
  return lost.every(isShown)
    ? pass("port", firstSeen.size, `${firstSeen.size} attempts, ${lost.length} of them without a reply`)
    : unknown("control-failed", "what came of a create without a reply was in no list");
}

/** Creates whose reply was thrown away after the provider had done its work. */
const lostCreates = ({ history }: Evidence): Operation[] =>
  history.byMethod("create").filter((create) => notOk(create)?.error.origin === "dropped");

/** A create whose reply was lost is found by its mark by a fresh adapter, and can be destroyed. */
export function lostCreateFound(evidence: Evidence): Judgement {
  const lost = lostCreates(evidence);
  const [first, ...rest] = lost.map((create) => judgeLost(evidence, create));
  if (first === undefined) return unknown("too-few", "no create lost its reply");
  const verdict = all(first, ...rest);
  return verdict.status === "pass"
    ? pass("port", lost.length, `${lost.length} lost creates found and destroyed`)
    : verdict;
}

function judgeLost(evidence: Evidence, create: Operation): Judgement {
  const target = create.target ?? "";
  const listed = sightings(evidence, target).filter((s) => s.by === "list");
  if (!listed.some((s) => s.marked === true)) {
    const due = toldAt(create) + ms(evidence.waits.settleMs + evidence.waits.listStaleMs);
    const without = listed[0]?.event ?? absence(evidence, { target }, due)?.operation.index;
    return without === undefined
      ? unknown("too-few", "no complete list once the lost create had to be in it")
      : fail(
          "port",
          [...eventsOf(create), without],
          "a lost create found by its mark",
          listed.length > 0 ? "listed without its mark" : "in no list",
        );
  }
  const destroys = evidence.history.byTarget(target).filter((operation) => operation.f === "destroy");
  const destroyed = destroys.find((operation) => okValue(operation, "destroy") !== undefined);
  if (destroyed === undefined) {
    const [first, ...rest] = destroys.flatMap((destroy) => judgeLoss(destroy) ?? []);
    return first === undefined ? unknown("too-few", "what was found was not destroyed") : all(first, ...rest);
  }
  return judgeEnd(evidence, target, destroyed);
}

/** After an acknowledged destroy something says that it ended, and nothing beyond the declared waits that it lives. */
function judgeEnd(evidence: Evidence, target: string, destroyed: Operation): Judgement {
  const acknowledged = toldAt(destroyed);
  const after = sightings(evidence, target).filter((s) => s.asked >= acknowledged);
  const lives = after.find((s) => contradicts(evidence, s, acknowledged));
  if (lives !== undefined) {
    const events = [...eventsOf(destroyed), ...(lives.event === undefined ? [] : [lives.event])];
    return fail(lives.event === undefined ? "host" : "port", events, "ended after its destroy", "still live");
  }
  return after.some((s) => !s.live) || absence(evidence, { target }, acknowledged) !== undefined
    ? pass("port", 1, "destroyed and seen ended")
    : unknown("too-few", "nobody looked after the destroy");
}

/** After each kill of the adapter, a fresh process lists every sandbox that lived, and each can be destroyed. */
export function restartRecovers(evidence: Evidence): Judgement {
  const { history, environment } = evidence;
  if (environment.ephemeral)
    return { status: "not-applicable", detail: "its sandboxes are declared to end with the adapter" };
  const kills = history.notes("adapter-killed");
  let recovered = 0;
  for (const { event: kill } of kills) {
    for (const create of history.byMethod("create")) {
      const made = okValue(create, "create");
      const { target } = create;
      if (made === undefined || target === undefined || toldAt(create) > kill.t) continue;
      const destroy = history.byTarget(target).find((operation) => operation.f === "destroy");
      const until = destroy?.invoke.t ?? Number.POSITIVE_INFINITY;
      const from = Math.max(kill.t, toldAt(create) + ms(evidence.waits.listStaleMs));
      const missing = absence(evidence, { target, id: made.id }, from, until);
      if (missing !== undefined)
        return fail(
          "port",
          [create.index, kill.i, ...eventsOf(missing.operation)],
          "a fresh adapter lists every live sandbox",
          `${target} is missing`,
        );
      const listed = sightings(evidence, target).some((s) => s.by === "list" && s.asked >= kill.t && s.told < until);
      if (target !== "by" && listed) recovered += 1;
    }
  }
  if (kills.length === 0) return unknown("too-few", "the adapter was never killed");
  const removals = history.byProbe("lifecycle.restart-recovers").filter((operation) => operation.f === "destroy");
  const [first, ...rest] = removals.map(
    (destroy) => judgeLoss(destroy) ?? judgeEnd(evidence, destroy.target ?? "", destroy),
  );
  if (first === undefined || recovered === 0) return unknown("too-few", "nothing was recovered by a fresh adapter");
  const verdict = all(first, ...rest);
  return verdict.status === "pass"
    ? pass("port", kills.length, `${kills.length} kills of the adapter, ${recovered} sandboxes found again`)
    : verdict;
}
