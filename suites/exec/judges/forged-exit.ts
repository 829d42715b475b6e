import { notOk, okValue } from "../../../history/view.ts";
import { describeExit, eventsOf } from "../../cases.ts";
import { type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";

/** A command whose sandbox was destroyed while it printed never comes back with an exit code. */
export function noForgedExit(evidence: Evidence): Judgement {
  const cut = evidence.history.byProbe("exec.no-forged-exit").filter((operation) => operation.f === "exec");
  let judged = 0;
  for (const operation of cut) {
    const destroyed = evidence.history
      .byTarget(operation.target ?? "")
      .find((other) => okValue(other, "destroy") !== undefined && other.index > operation.index);
    if (operation.completion === undefined || destroyed === undefined) continue;
    const exit = okValue(operation, "exec")?.exit;
    if (exit?.kind === "exited") {
      return fail(
        "port",
        [...eventsOf(operation), ...eventsOf(destroyed)],
        "an error, a signal or an unknown exit",
        describeExit(exit),
      );
    }
    const printed = okValue(operation, "exec")?.stdout.bytes ?? notOk(operation)?.value?.stdout.bytes ?? 0;
    if (printed === 0)
      return unknown("control-failed", "the command had printed nothing before its sandbox was destroyed");
    judged += 1;
  }
  return judged === 0
    ? unknown("too-few", "no command lost its sandbox while it printed")
    : pass("port", judged, `${judged} cut streams, no exit code invented`);
}
