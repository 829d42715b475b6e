import { NS_PER_MS } from "../../../contract/clock.ts";
import { okValue } from "../../../history/view.ts";
import { eventsOf, judgeExpectation } from "../../cases.ts";
import { all, type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";
import { lives, ms, sightings, toldAt } from "../../sightings.ts";

/** The first exec after each acknowledged create works, and is done within `readyMs` of the acknowledgement. */
export function createUsable(evidence: Evidence): Judgement {
  const judged = lives(evidence).flatMap(({ target, create }): Judgement[] => {
    const first = evidence.history.byTarget(target).find((operation) => operation.f === "exec");
    if (first === undefined) return [];
    const took = toldAt(first) - toldAt(create);
    const late = took > ms(evidence.waits.readyMs);
    return late
      ? [
          fail(
            "guest",
            [...eventsOf(create), ...eventsOf(first)],
            `a first exec within ${evidence.waits.readyMs} ms of create`,
            `${Math.round(took / NS_PER_MS)} ms`,
          ),
        ]
      : [judgeExpectation(first)];
  });
  const [head, ...rest] = judged;
  if (head === undefined) return unknown("too-few", "no created sandbox was used");
  const verdict = all(head, ...rest);
  return verdict.status === "pass" ? pass("guest", verdict.count, `${verdict.count} first execs answered`) : verdict;
}

/** No two acknowledged creates gave the same id. */
export function idUnique(evidence: Evidence): Judgement {
  const creates = evidence.history.byMethod("create").filter((create) => okValue(create, "create") !== undefined);
  const firstWith = new Map<string, number>();
  for (const create of creates) {
    const id = okValue(create, "create")?.id ?? "";
    const before = firstWith.get(id);
    if (before !== undefined)
      return fail("port", [before, create.index], "a new id for each create", "the id of an earlier create");
    firstWith.set(id, create.index);
  }
  return creates.length < 2
    ? unknown("too-few", "fewer than two creates were acknowledged")
    : pass("port", creates.length, `${creates.length} creates, as many ids`);
}

/** From `listStaleMs` after its create on, and until its destroy is asked for, a sandbox is in every list and observed live. */
export function createVisible(evidence: Evidence): Judgement {
  let seen = 0;
  for (const { target, create } of lives(evidence)) {
    const from = toldAt(create) + ms(evidence.waits.listStaleMs);
    const destroy = evidence.history.byTarget(target).find((operation) => operation.f === "destroy");
    const until = destroy === undefined ? Number.POSITIVE_INFINITY : destroy.invoke.t;
    const during = sightings(evidence, target).filter(
      (s) => (s.by === "list" || s.by === "observe") && s.asked > toldAt(create) && s.told < until,
    );
    const missing = during.find((s) => !s.live && s.asked >= from);
    if (missing !== undefined) {
      return fail(
        "port",
        [...eventsOf(create), missing.event],
        `the sandbox in ${missing.by} within ${evidence.waits.listStaleMs} ms of create`,
        "not there",
      );
    }
    if (during.some((s) => s.by === "list" && s.live) && during.some((s) => s.by === "observe" && s.live)) seen += 1;
  }
  return seen === 0
    ? unknown("too-few", "no sandbox was both listed and observed while it lived")
    : pass("port", seen, `${seen} sandboxes listed and observed`);
}

/** Ids of the dead and ids of nobody open nothing: definite words, never another's sandbox. */
export function unknownIdDefinite(evidence: Evidence): Judgement {
  const asked = evidence.history.byProbe("lifecycle.unknown-id-definite");
  const judged = asked.map((operation): Judgement => {
    const { completion } = operation;
    if (completion === undefined) return unknown("indeterminate", "an unknown id was never answered");
    if (completion.type !== "ok") {
      const { code, origin } = completion.error;
      if (origin !== "reply")
        return unknown(
          origin === "died" || origin === "malformed" ? "adapter-fault" : "indeterminate",
          "an unknown id got no reply",
        );
      return code === "not-found" || code === "invalid-argument"
        ? pass("port", 1, "")
        : fail("port", eventsOf(operation), `not-found for ${operation.f} of an unknown id`, code);
    }
    const state = okValue(operation, "observe")?.state;
    return state === "absent" || state === "terminal"
      ? pass("port", 1, "")
      : fail("port", eventsOf(operation), `not-found for ${operation.f} of an unknown id`, state ?? "success");
  });
  const [first, ...rest] = judged;
  if (first === undefined) return unknown("too-few", "no unknown id was asked for");
  const verdict = all(first, ...rest);
  return verdict.status === "pass"
    ? pass("port", asked.length, `${asked.length} questions about unknown ids refused`)
    : verdict;
}
