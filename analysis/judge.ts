import type { Capability } from "../contract/capabilities.ts";
import { effectiveWaits } from "../contract/waits.ts";
import { type HistoryView, notOk } from "../history/view.ts";
import type { Environment, WitnessKind, WitnessRecord } from "../schemas/documents.ts";
import { eventsOf, lostByAdapter } from "../suites/cases.ts";
import { type Check, type Evidence, fail, type Judgement, unknown } from "../suites/check.ts";
import { gapOf } from "./coverage.ts";
import { missingPrecondition } from "./precondition.ts";

export type Finding =
  | Judgement
  | { readonly status: "unsupported" | "blocked" | "harness-error"; readonly detail: string };

export function evidenceOf(
  history: HistoryView,
  witness: readonly WitnessRecord[],
  environment: Environment,
): Evidence {
  const seen = seesGuests(environment) ? witness : witness.filter(({ kind }) => kind !== "token" && kind !== "native");
  const byKind = Map.groupBy(seen, (record) => record.kind);
  return {
    history,
    witness: <K extends WitnessKind>(kind: K) => (byKind.get(kind) ?? []) as Extract<WitnessRecord, { kind: K }>[],
    environment,
    waits: effectiveWaits(environment.waits),
  };
}

/** A process of a guest with a kernel of its own, or on another machine, is in no table of this host: a client that bears its token is. */
const seesGuests = ({ boundary, target }: Environment): boolean =>
  target.endpointClass === "this-host" && (boundary === "process" || boundary === "shared-kernel");

/**
 * One check on one run's evidence. What was seen to be violated stays so; all else holds only where something could be tried and the
 * scenarios that feed the check ran to their end: half of the cases are no pass.
 */
export function judge(check: Check, evidence: Evidence): Finding {
  const finding = judgeRecorded(check, evidence);
  if (finding.status === "fail") return finding;
  const missing = missingPrecondition(evidence.history);
  if (missing !== undefined) return { status: "blocked", detail: missing };
  const gap = gapOf(check, evidence);
  if (gap === undefined || finding.status === "harness-error") return finding;
  if (gap.kind === "crashed") return { status: "harness-error", detail: gap.detail };
  if (finding.status !== "unknown") return unknown(gap.cause, gap.detail);
  // What nobody saw since nothing ran is no lack of a witness, which would excuse it.
  const cause = gap.cause === "adapter-fault" || finding.cause === "no-witness" ? gap.cause : finding.cause;
  return unknown(cause, `${finding.detail}; ${gap.detail}`);
}

/** A judge that throws is our fault and says so; it never decides against the provider. */
function judgeRecorded(check: Check, evidence: Evidence): Finding {
  if (check.needs !== undefined && !Object.hasOwn(evidence.environment.capabilities, check.needs)) {
    return judgeAbsence(evidence, check.needs);
  }
  try {
    return check.judge(evidence);
  } catch (thrown) {
    return {
      status: "harness-error",
      detail: `the judge failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
    };
  }
}

/** Not declared is `unsupported` only where the refusal was seen; accepted and ignored is a violation. */
function judgeAbsence({ history }: Evidence, capability: Capability): Finding {
  const asked = history
    .byProbe("adapter.undeclared-refused")
    .find((operation) => operation.probe?.endsWith(`/${capability}`));
  if (asked?.completion === undefined)
    return unknown("too-few", `${capability} is not declared, and was not asked for`);
  if (notOk(asked)?.error.refused === true)
    return { status: "unsupported", detail: `${capability} is not declared, and was refused` };
  return asked.completion.type === "ok"
    ? fail("port", eventsOf(asked), `a refusal of ${capability}, which is not declared`, "accepted")
    : unknown(
        lostByAdapter(asked) ? "adapter-fault" : "indeterminate",
        `${capability} is not declared, and was not refused either (${notOk(asked)?.error.code})`,
      );
}
