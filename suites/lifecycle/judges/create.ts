import { NS_PER_MS } from "../../../contract/clock.ts";
import { durationNs, type Operation, okValue } from "../../../history/view.ts";
import { eventsOf, judgeExpectation, lostByAdapter } from "../../cases.ts";
import { all, type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";
import { absence, lives, ms, sightingsOf, toldAt } from "../../sightings.ts";

/**
 * The first exec after each acknowledged create works, and is done within `readyMs`. Time counts from its sending: what the harness
 * itself took between the two is not the provider's.
 */
export function createUsable({ history, waits }: Evidence): Judgement {
  const judged = history.byProbe("lifecycle.create-usable").map((first): Judgement => {
    const took = durationNs(first) ?? 0;
    return took <= ms(waits.readyMs) || lostByAdapter(first)
      ? judgeExpectation(first)
      : fail(
          "guest",
          eventsOf(first),
          `a first exec within ${waits.readyMs} ms of create`,
          `${Math.round(took / NS_PER_MS)} ms`,
        );
  });
  const [head, ...rest] = judged;
  if (head === undefined) return unknown("too-few", "no created sandbox was used");
  const verdict = all(head, ...rest);
  return verdict.status === "pass" ? pass("guest", verdict.count, `${verdict.count} first execs answered`) : verdict;
}

/** No two attempts gave or showed the same id. */
export function idUnique({ history }: Evidence): Judgement {
  const firstWith = new Map<string, { target: string | undefined; event: number }>();
  const meet = (id: string, target: string | undefined, event: number): Judgement | undefined => {
    const before = firstWith.get(id);
    firstWith.set(id, before ?? { target, event });
    return before === undefined || before.target === target
      ? undefined
      : fail("port", [before.event, event], "a new id for each create", "the id of an earlier create");
  };
  const creates = history.byMethod("create").filter((create) => okValue(create, "create") !== undefined);
  for (const create of creates) {
    const twice = meet(okValue(create, "create")?.id ?? "", create.target, create.index);
    if (twice !== undefined) return twice;
  }
  for (const list of history.byMethod("list")) {
    // Without a mark of its own an item is recognised by its id: it says nothing new.
    for (const { id, target, attempt } of okValue(list, "list")?.items ?? []) {
      const twice = attempt === undefined ? undefined : meet(id, target, list.index);
      if (twice !== undefined) return twice;
    }
  }
  return creates.length < 2
    ? unknown("too-few", "fewer than two creates were acknowledged")
    : pass("port", creates.length, `${creates.length} creates, as many ids`);
}

/** From `listStaleMs` after its create on, and until its destroy is asked for, a sandbox is in every list and observed live. */
export function createVisible(evidence: Evidence): Judgement {
  const { history, waits } = evidence;
  let seen = 0;
  for (const life of lives(evidence)) {
    const { target, create } = life;
    const from = toldAt(create) + ms(waits.listStaleMs);
    const destroy = history.byTarget(target).find((operation) => operation.f === "destroy");
    const until = destroy === undefined ? Number.POSITIVE_INFINITY : destroy.invoke.t;
    const during = sightingsOf(evidence, life).filter((s) => s.asked > toldAt(create) && s.told < until);
    const unseen = during.find((s) => s.by === "observe" && !s.live && s.asked >= from);
    const missing = unseen?.event ?? absence(evidence, life, from, until)?.operation.index;
    if (missing !== undefined) {
      return fail(
        "port",
        [...eventsOf(create), missing],
        `the sandbox in list and observe within ${waits.listStaleMs} ms of create`,
        `not in ${unseen === undefined ? "list" : "observe"}`,
      );
    }
    if ((["list", "observe"] as const).every((by) => during.some((s) => s.by === by && s.live))) seen += 1;
  }
  return seen === 0
    ? unknown("too-few", "no sandbox was both listed and observed while it lived")
    : pass("port", seen, `${seen} sandboxes listed and observed`);
}

/** Ids of the dead and ids of nobody open nothing: definite words, never another's sandbox. */
export function unknownIdDefinite(evidence: Evidence): Judgement {
  const asked = evidence.history.byProbe("lifecycle.unknown-id-definite");
  const [first, ...rest] = asked.map((operation) => judgeUnknownId(evidence, operation));
  if (first === undefined) return unknown("too-few", "no unknown id was asked for");
  const verdict = all(first, ...rest);
  return verdict.status === "pass"
    ? pass("port", asked.length, `${asked.length} questions about unknown ids refused`)
    : verdict;
}

function judgeUnknownId({ history }: Evidence, operation: Operation): Judgement {
  const { completion, target } = operation;
  if (completion === undefined) return unknown("indeterminate", "an unknown id was never answered");
  const wasEnded = (other: Operation) => okValue(other, "destroy") !== undefined && toldAt(other) <= completion.sent;
  // Where its destroy never succeeded the id is not unknown: that is another check's matter.
  if (target !== undefined && !history.byTarget(target).some(wasEnded))
    return unknown("control-failed", "the sandbox of the id was not ended");
  const expected = `not-found for ${operation.f} of an unknown id`;
  if (completion.type === "ok") {
    const state = okValue(operation, "observe")?.state;
    return state === "absent" || state === "terminal"
      ? pass("port", 1, "")
      : fail("port", eventsOf(operation), expected, state ?? "success");
  }
  const { code, origin } = completion.error;
  if (origin !== "reply")
    return unknown(lostByAdapter(operation) ? "adapter-fault" : "indeterminate", "an unknown id got no reply");
  return code === "not-found" || code === "invalid-argument"
    ? pass("port", 1, "")
    : fail("port", eventsOf(operation), expected, code);
}
