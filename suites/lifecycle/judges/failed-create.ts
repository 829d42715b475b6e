import { type Operation, okValue } from "../../../history/view.ts";
import { caseOf, eventsOf, lostByAdapter } from "../../cases.ts";
import { all, type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";
import { appeared, onThisHost } from "../../planes.ts";
import { completeLists, ms, toldAt } from "../../sightings.ts";

/** Ways to fail that every subject allows: each must have been tried on a create that did not end before it. */
const ALWAYS = ["cancelled", "adapter-killed"];

/** After each provoked failure, and after what it left in the list was destroyed, neither list nor host holds anything of it. */
export function createFailedClean(evidence: Evidence): Judgement {
  const provoked = evidence.history.byProbe("lifecycle.create-failed-clean");
  const [first, ...rest] = provoked.map((create) => judgeProvoked(evidence, create));
  if (first === undefined) return unknown("too-few", "no create was made to fail");
  const verdict = all(first, ...rest);
  if (verdict.status !== "pass") return verdict;
  const struck = provoked.filter((create) => wasStruck(evidence, create));
  const missed = ALWAYS.filter((way) => !struck.some((create) => caseOf(create) === way));
  if (missed.length > 0) return unknown("too-few", `every create ended before it could be ${missed.join(" or ")}`);
  const failed = provoked.filter((create) => create.completion?.type !== "ok" || struck.includes(create));
  return pass(verdict.source, failed.length, `${failed.length} creates that were made to fail left nothing`);
}

/** The fault was planted while the create was under way. */
const wasStruck = ({ history }: Evidence, create: Operation): boolean =>
  history.notes("fault-injected").some(({ event }) => event.of === create.index);

function judgeProvoked(evidence: Evidence, create: Operation): Judgement {
  const name = caseOf(create);
  const target = create.target ?? "";
  const left = appeared(evidence, `${name}-before`, `${name}-after`);
  if (left !== undefined && left.length > 0)
    return fail("host", eventsOf(create), `${name}: nothing left`, `${left.length} items of the run on the host`);
  if (create.completion === undefined) return unknown("indeterminate", `${name}: the create has no completion`);
  if (lostByAdapter(create) && !wasStruck(evidence, create))
    return unknown("adapter-fault", `${name}: the adapter gave no valid reply`);

  const last = completeLists(evidence, toldAt(create)).findLast(
    ({ operation }) => operation.scenario === create.scenario,
  );
  if (last === undefined) return unknown("too-few", `${name}: no complete list afterwards`);
  if (!last.live.has(target))
    return pass(left !== undefined && onThisHost(evidence) ? "host" : "port", 1, `${name}: nothing left`);
  const { waits, history } = evidence;
  const destroyed = history.byTarget(target).find((operation) => okValue(operation, "destroy") !== undefined);
  const due = destroyed === undefined ? toldAt(create) + ms(waits.settleMs) : toldAt(destroyed) + ms(waits.endedMs);
  return last.asked > due + ms(waits.listStaleMs)
    ? fail("port", [...eventsOf(create), ...eventsOf(last.operation)], `${name}: nothing left`, "still listed")
    : unknown("indeterminate", `${name}: not looked at until the declared waits were over`);
}
