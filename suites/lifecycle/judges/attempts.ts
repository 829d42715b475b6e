import { invokeValue, notOk, type Operation, okValue } from "../../../history/view.ts";
import { eventsOf } from "../../cases.ts";
import { type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";
import { appeared } from "../../planes.ts";
import { ms, sentAt, sightings, toldAt } from "../../sightings.ts";

const completeLists = ({ history }: Evidence): readonly Operation[] =>
  history.byMethod("list").filter((list) => okValue(list, "list")?.complete === true);

/** Nothing bears the run's mark that no attempt made. */
export function noPhantom(evidence: Evidence): Judgement {
  const lists = completeLists(evidence);
  let ours = 0;
  for (const list of lists) {
    for (const item of okValue(list, "list")?.items ?? []) {
      if (item.bearsRun && item.attempt === undefined) {
        return fail(
          "port",
          eventsOf(list),
          "only what an attempt made bears the run's mark",
          "a marked item of no attempt",
        );
      }
      ours += 1;
    }
  }
  if (lists.length === 0) return unknown("too-few", "no complete list");
  return ours === 0
    ? unknown("control-failed", "no list ever showed anything of the run")
    : pass("port", lists.length, `${lists.length} complete lists`);
}

/** One attempt has at most one id, over acknowledgements and all lists, also where the reply was lost. */
export function noDuplicate(evidence: Evidence): Judgement {
  const firstSeen = new Map<string, { id: string; event: number }>();
  const meet = (attempt: string, id: string, event: number): Judgement | undefined => {
    const before = firstSeen.get(attempt);
    if (before !== undefined && before.id !== id)
      return fail("port", [before.event, event], "one sandbox for one create", "two ids of one attempt");
    firstSeen.set(attempt, before ?? { id, event });
    return undefined;
  };
  for (const create of evidence.history.byMethod("create")) {
    const asked = invokeValue(create, "create");
    const made = okValue(create, "create");
    if (asked !== undefined && made !== undefined) meet(asked.attempt, made.id, create.index);
  }
  for (const list of evidence.history.byMethod("list")) {
    for (const item of okValue(list, "list")?.items ?? []) {
      const twice = item.attempt === undefined ? undefined : meet(item.attempt, item.id, list.index);
      if (twice !== undefined) return twice;
    }
  }
  const lost = lostCreates(evidence).length;
  return lost === 0
    ? unknown("too-few", "no create lost its reply")
    : pass("port", firstSeen.size, `${firstSeen.size} attempts, ${lost} of them without a reply`);
}

/** Creates whose reply was thrown away after the provider had done its work. */
const lostCreates = ({ history }: Evidence): Operation[] =>
  history.byMethod("create").filter((create) => notOk(create)?.error.origin === "dropped");

/** A create whose reply was lost is found by its mark by a fresh adapter, and can be destroyed. */
export function lostCreateFound(evidence: Evidence): Judgement {
  const lost = lostCreates(evidence);
  if (lost.length === 0) return unknown("too-few", "no create lost its reply");
  for (const create of lost) {
    const attempt = invokeValue(create, "create")?.attempt;
    const lists = completeLists(evidence).filter((list) => sentAt(list) > toldAt(create));
    const [firstList] = lists;
    if (firstList === undefined) return unknown("too-few", "no complete list after the lost create");
    const shown = lists.find((list) => okValue(list, "list")?.items.some((item) => item.attempt === attempt) === true);
    if (shown === undefined)
      return fail(
        "port",
        [...eventsOf(create), ...eventsOf(firstList)],
        "a lost create found by its mark",
        "in no list",
      );
    const destroyed = evidence.history
      .byTarget(create.target ?? "")
      .find((operation) => okValue(operation, "destroy") !== undefined);
    if (destroyed === undefined)
      return fail("port", eventsOf(create), "a found sandbox that can be destroyed", "no destroy succeeded");
    const bound = toldAt(destroyed) + ms(evidence.waits.endedMs);
    const lives = sightings(evidence, create.target ?? "").find((s) => s.live && s.asked > bound);
    if (lives !== undefined)
      return fail("port", [...eventsOf(destroyed), lives.event], "ended after its destroy", "still live");
  }
  return pass("port", lost.length, `${lost.length} lost creates found and destroyed`);
}

/** After each provoked failure, and after what it left in the list was destroyed, neither list nor host holds anything of it. */
export function createFailedClean(evidence: Evidence): Judgement {
  const provoked = evidence.history.byProbe("lifecycle.create-failed-clean");
  if (provoked.length === 0) return unknown("too-few", "no create was made to fail");
  let seenByHost = 0;
  for (const create of provoked) {
    if (create.completion === undefined) return unknown("indeterminate", "a provoked create has no completion");
    const name = create.probe?.split("/")[1] ?? "";
    const target = create.target ?? "";
    const last = completeLists(evidence).findLast(
      (list) => list.scenario === create.scenario && sentAt(list) > toldAt(create),
    );
    if (last === undefined) return unknown("too-few", `${name}: no complete list afterwards`);
    const item = okValue(last, "list")?.items.find((i) => i.target === target && i.state !== "terminal");
    if (item !== undefined)
      return fail(
        "port",
        [...eventsOf(create), ...eventsOf(last)],
        `${name}: nothing left`,
        "still listed after its destroy",
      );
    const left = appeared(evidence, `${name}-before`, `${name}-after`);
    if (left === undefined) continue;
    if (left.length > 0)
      return fail("host", eventsOf(create), `${name}: nothing left`, `${left.length} items of the run on the host`);
    seenByHost += 1;
  }
  return pass(seenByHost > 0 ? "host" : "port", provoked.length, `${provoked.length} provoked failures left nothing`);
}

/** After each kill of the adapter, a fresh process lists every sandbox that lived, and each can be destroyed. */
export function restartRecovers(evidence: Evidence): Judgement {
  const kills = evidence.history.notes("adapter-killed");
  if (kills.length === 0) return unknown("too-few", "the adapter was never killed");
  let recovered = 0;
  for (const { event } of kills) {
    const list = completeLists(evidence).find((operation) => operation.index > event.i);
    if (list === undefined) return unknown("too-few", "no complete list after the adapter was killed");
    const items = okValue(list, "list")?.items ?? [];
    for (const create of evidence.history.byMethod("create")) {
      if (okValue(create, "create") === undefined || toldAt(create) > event.t) continue;
      const asked = evidence.history.byTarget(create.target ?? "").find((operation) => operation.f === "destroy");
      if (asked !== undefined && asked.index < list.index) continue;
      if (!items.some((item) => item.target === create.target)) {
        return fail(
          "port",
          [create.index, event.i, ...eventsOf(list)],
          "a fresh adapter lists every live sandbox",
          `${create.target} is missing`,
        );
      }
      recovered += 1;
    }
  }
  const removal = evidence.history
    .byProbe("lifecycle.restart-recovers")
    .filter((operation) => operation.f === "destroy");
  const refused = removal.find((operation) => okValue(operation, "destroy") === undefined);
  if (refused !== undefined)
    return fail(
      "port",
      eventsOf(refused),
      "a fresh adapter destroys what an earlier one made",
      notOk(refused)?.error.code ?? "no answer",
    );
  return removal.length === 0 || recovered === 0
    ? unknown("too-few", "nothing was recovered by a fresh adapter")
    : pass("port", kills.length, `${kills.length} kills of the adapter, ${recovered} sandboxes found again`);
}
