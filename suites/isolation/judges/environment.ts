import { okValue } from "../../../history/view.ts";
import { eventsOf, judgeLoss } from "../../cases.ts";
import { all, type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";

/**
 * Where the guest's environment was read, none of the runner's and adapter's canaries is in it. The first canary of each reading is
 * one that was delivered on purpose: a reading that does not show it proves nothing.
 */
export function environmentClean(evidence: Evidence): Judgement {
  const readings = evidence.history
    .byProbe("isolation.environment-clean")
    .filter((operation) => operation.f === "exec");
  const [first, ...rest] = readings.map((operation): Judgement => {
    const found = okValue(operation, "exec")?.stdout.found;
    if (found === undefined) return judgeLoss(operation) ?? unknown("control-failed", "no canary was looked for");
    const [control = 0, ...leaks] = found;
    const leaked = leaks.filter((count) => count > 0).length;
    if (leaked > 0)
      return fail(
        "guest",
        eventsOf(operation),
        "no canary of the runner or the adapter inside",
        `${leaked} of ${leaks.length} canaries`,
      );
    return control === 0
      ? unknown("control-failed", "the variable that was delivered on purpose was not seen either")
      : pass("guest", leaks.length, `${leaks.length} canaries absent, the control present`);
  });
  return first === undefined ? unknown("too-few", "the environment inside was not read") : all(first, ...rest);
}
