import { notOk, type Operation, okValue } from "../../../history/view.ts";
import type { Exit } from "../../../schemas/core.ts";
import { describeExit, eventsOf, lostByAdapter } from "../../cases.ts";
import { all, type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";
import { sentAt, toldAt } from "../../sightings.ts";

/** A command whose sandbox was destroyed while it printed never comes back with an exit code. */
export function noForgedExit(evidence: Evidence): Judgement {
  const cut = evidence.history.byProbe("exec.no-forged-exit").filter((operation) => operation.f === "exec");
  const [first, ...rest] = cut.map((operation) => judgeCut(evidence, operation));
  if (first === undefined) return unknown("too-few", "no command lost its sandbox while it printed");
  const verdict = all(first, ...rest);
  return verdict.status === "pass"
    ? pass("port", verdict.count, `${verdict.count} cut streams, no exit code invented`)
    : verdict;
}

function judgeCut({ history, environment }: Evidence, operation: Operation): Judgement {
  const destroyed = history
    .byTarget(operation.target ?? "")
    .find((other) => okValue(other, "destroy") !== undefined && other.index > operation.index);
  if (operation.completion === undefined || destroyed === undefined)
    return unknown("too-few", "no command lost its sandbox while it printed");
  if (toldAt(operation) < sentAt(destroyed))
    return unknown("control-failed", "the command ended before its sandbox was destroyed");
  const exit = okValue(operation, "exec")?.exit;
  if (exit?.kind === "exited" && !isSignal(exit, environment.capabilities["signalForm"]))
    return fail(
      "port",
      [...eventsOf(operation), ...eventsOf(destroyed)],
      "an error, a signal or an unknown exit",
      describeExit(exit),
    );
  if (lostByAdapter(operation)) return unknown("adapter-fault", "the adapter gave no valid reply");
  const failure = notOk(operation);
  if (failure?.error.origin === "deadline")
    return unknown("indeterminate", "the command was never told as ended: its stream was not cut");
  const printed = okValue(operation, "exec")?.stdout.bytes ?? failure?.value?.stdout.bytes ?? 0;
  return printed === 0
    ? unknown("control-failed", "the command had printed nothing before its sandbox was destroyed")
    : pass("port", 1, "no exit code invented");
}

/** Where signals are declared to be told as `128+n`, such a code is a signal and no invention. */
const isSignal = ({ code }: Extract<Exit, { kind: "exited" }>, form: unknown): boolean =>
  form === "128+n" && code > 128 && code <= 128 + 64;
