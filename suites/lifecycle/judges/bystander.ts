import { notOk, type Operation, okValue } from "../../../history/view.ts";
import { eventsOf, judgeExpectation } from "../../cases.ts";
import { all, type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";
import { observedLive } from "../../sightings.ts";

/** The bystander is live, bears the labels it had and keeps its marker, after everything that the run destroyed. */
export function bystanderSafe({ history }: Evidence): Judgement {
  const looks = history.byProbe("lifecycle.bystander-safe");
  const destroys = history.byMethod("destroy").filter((operation) => operation.target !== "by");
  const [firstDestroy, lastDestroy] = [destroys[0], destroys.at(-1)];
  if (firstDestroy === undefined || lastDestroy === undefined) return unknown("too-few", "nothing was destroyed");

  const control = looks.filter((look) => look.index < firstDestroy.index);
  const wasThere = (f: string) => control.some((look) => look.f === f && judgeExpectation(look).status === "pass");
  if (!wasThere("observe") || !wasThere("exec"))
    return unknown("control-failed", "the bystander was not seen whole before anything was destroyed");
  const before = control.map((look) => okValue(look, "observe")).find((seen) => seen !== undefined);

  const [first, ...rest] = looks
    .filter((look) => look.index > firstDestroy.index)
    .map((look) => judgeLook(look, before?.labels?.hmac));
  const isLast = (f: string) => looks.some((look) => look.f === f && look.index > lastDestroy.index);
  const incomplete = unknown("too-few", "the bystander was not looked at after the last destroy");
  if (first === undefined) return incomplete;
  const verdict = all(first, ...rest);
  if (verdict.status !== "pass") return verdict;
  return isLast("observe") && isLast("exec")
    ? pass("guest", verdict.count, "alive, labels and marker unchanged after every destroy")
    : incomplete;
}

function judgeLook(look: Operation, labels: string | undefined): Judgement {
  const failure = notOk(look);
  if (look.completion === undefined || (failure !== undefined && failure.error.origin !== "reply"))
    return unknown("indeterminate", "the bystander gave no answer");
  if (look.f !== "observe") {
    return failure?.type === "fail"
      ? fail("guest", eventsOf(look), "the bystander answers", failure.error.code)
      : judgeExpectation(look);
  }
  const live = observedLive(look);
  if (live === undefined) return unknown("indeterminate", `the bystander was not observed (${failure?.error.code})`);
  if (!live) return fail("port", eventsOf(look), "the bystander alive", "observed ended");
  return okValue(look, "observe")?.labels?.hmac === labels
    ? pass("port", 1, "")
    : fail("port", eventsOf(look), "the bystander's labels unchanged", "other labels");
}
