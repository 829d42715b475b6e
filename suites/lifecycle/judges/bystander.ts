import { notOk, okValue } from "../../../history/view.ts";
import { eventsOf, judgeExpectation } from "../../cases.ts";
import { all, type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";
import { observedLive } from "../../sightings.ts";

/** The bystander is live, bears the labels it had and keeps its marker, after everything that the run destroyed. */
export function bystanderSafe(evidence: Evidence): Judgement {
  const { history } = evidence;
  const watched = history.byProbe("lifecycle.bystander-safe");
  const lastDestroy = history.byMethod("destroy").findLast((operation) => operation.target !== "by");
  const after = watched.filter((operation) => lastDestroy === undefined || operation.index > lastDestroy.index);
  if (lastDestroy === undefined || after.length === 0)
    return unknown("too-few", "the bystander was not looked at after a destroy");
  const observations = watched.filter((operation) => operation.f === "observe");
  const before = observations.map((operation) => okValue(operation, "observe")).find((seen) => seen !== undefined);
  const judged = after.map((operation): Judgement => {
    const { completion } = operation;
    if (completion === undefined || (completion.type !== "ok" && completion.error.origin !== "reply")) {
      return unknown("indeterminate", "the bystander gave no answer");
    }
    if (operation.f !== "observe") {
      const code = notOk(operation)?.error.code;
      return code === undefined
        ? judgeExpectation(operation)
        : fail("guest", eventsOf(operation), "the bystander answers", code);
    }
    if (observedLive(operation) !== true)
      return fail("port", eventsOf(operation), "the bystander alive", "observed ended");
    const now = okValue(operation, "observe");
    return before?.labels?.hmac === now?.labels?.hmac
      ? pass("port", 1, "")
      : fail("port", eventsOf(operation), "the bystander's labels unchanged", "other labels");
  });
  const [first, ...rest] = judged;
  if (first === undefined) return unknown("too-few", "the bystander was not looked at");
  const verdict = all(first, ...rest);
  return verdict.status === "pass"
    ? pass("guest", judged.length, "alive, labels and marker unchanged after every destroy")
    : verdict;
}
