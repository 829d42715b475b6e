import { NS_PER_MS } from "../../../contract/clock.ts";
import { durationNs, invokeValue, notOk } from "../../../history/view.ts";
import { caseOf, eventsOf, judgeExpectation, lostByAdapter } from "../../cases.ts";
import { all, type Evidence, fail, type Judgement, unknown } from "../../check.ts";
import { ms } from "../../sightings.ts";

/** A command that reaches its timeout ends within `execGraceMs` of it, says so, and what it had printed is kept. */
export function timeoutPrompt(evidence: Evidence): Judgement {
  const [first, ...rest] = evidence.history.byProbe("exec.timeout-prompt").map((operation): Judgement => {
    const timeoutMs = invokeValue(operation, "exec")?.timeoutMs;
    const took = durationNs(operation);
    const bound = (timeoutMs ?? 0) + evidence.waits.execGraceMs;
    const overdue = took !== undefined && (took > ms(bound) || notOk(operation)?.error.origin === "deadline");
    return overdue && !lostByAdapter(operation)
      ? fail(
          "port",
          eventsOf(operation),
          `${caseOf(operation)}: an end within ${bound} ms`,
          `${Math.round(took / NS_PER_MS)} ms`,
        )
      : judgeExpectation(operation);
  });
  return first === undefined ? unknown("too-few", "no command reached its timeout") : all(first, ...rest);
}
