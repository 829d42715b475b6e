import { caseOf, eventsOf, judgeExpectation, lostByAdapter } from "../../cases.ts";
import { all, type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";

/** Changes made on one side are there on the other; cases named `gone-…` must be told as `not-found`. */
export function visibleBothWays(evidence: Evidence): Judgement {
  const cases = evidence.history.byProbe("files.visible-both-ways");
  const [first, ...rest] = cases.map((operation): Judgement => {
    if (!caseOf(operation).startsWith("gone-")) return judgeExpectation(operation);
    const { completion } = operation;
    if (completion === undefined) return unknown("indeterminate", "a read has no completion");
    if (completion.type === "ok") return fail("port", eventsOf(operation), "not-found for the old name", "its content");
    const { code, origin } = completion.error;
    if (origin !== "reply")
      return unknown(
        lostByAdapter(operation) ? "adapter-fault" : "indeterminate",
        "a read of a renamed file gave no answer",
      );
    return code === "not-found"
      ? pass("port", 1, "every case brought what was expected")
      : fail("port", eventsOf(operation), "not-found for the old name", code);
  });
  return first === undefined ? unknown("too-few", "no change was looked at from the other side") : all(first, ...rest);
}
