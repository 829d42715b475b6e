import type { CheckResult, Conformance, Residue, Results } from "../schemas/documents.ts";

export interface Verdict {
  readonly conformance: Conformance;
  readonly residue: Residue;
}

/** Statuses with which a deciding check leaves a run conformant. */
const FINE: ReadonlySet<CheckResult["status"]> = new Set(["pass", "unsupported", "not-applicable"]);

export interface Judged {
  readonly checks: readonly CheckResult[];
  readonly planes: Results["planes"];
  /** The run was a selection: it can pass, never conform, and says nothing of planes that it did not set out to look at. */
  readonly partial: boolean;
  /** Without its end a history may lack what matters: it can still show a violation, never the absence of one. */
  readonly history: Results["history"];
}

/** The two verdicts (judging §2). Residue checks decide only the second. */
export function verdictOf({ checks, planes, partial, history }: Judged): Verdict {
  const deciding = checks.filter((check) => check.deciding);
  const conformance = conformanceOf(
    deciding.filter((check) => check.area !== "residue"),
    checks,
    partial,
  );
  const residue = residueOf(
    deciding.filter((check) => check.area === "residue"),
    planes.some(({ status }) => status === "disabled" || (!partial && status === "unknown")),
  );
  if (history === "complete") return { conformance, residue };
  return {
    conformance: conformance === "violated" || conformance === "harness-error" ? conformance : "unknown",
    residue: residue === "left" ? residue : "unknown",
  };
}

function conformanceOf(deciding: readonly CheckResult[], all: readonly CheckResult[], partial: boolean): Conformance {
  const has = (status: CheckResult["status"]) =>
    deciding.some((check) => check.status === status && check.known === undefined);
  if (has("fail")) return "violated";
  if (all.some((check) => check.status === "harness-error")) return "harness-error";
  // The residue checks are in every run: what they found says nothing of the checks that were asked for.
  const own = all.some(({ area }) => area !== "residue") ? all.filter(({ area }) => area !== "residue") : all;
  const decided = own.some((check) => check.status === "pass" || check.status === "fail");
  if (!decided) return own.some((check) => check.status === "blocked") ? "blocked" : "unknown";
  if (has("unknown")) return "unknown";
  if (has("blocked")) return "blocked";
  if (partial) return "passed-selection";
  return deciding.every((check) => FINE.has(check.status) || check.known !== undefined) ? "conformant" : "unknown";
}

function residueOf(deciding: readonly CheckResult[], unseenPlane: boolean): Residue {
  if (deciding.some((check) => check.status === "fail")) return "left";
  if (unseenPlane || deciding.length === 0) return "unknown";
  return deciding.every((check) => FINE.has(check.status)) ? "none" : "unknown";
}

/** The first that applies (judging §2). A run that ended before its verdict keeps the process's own 255. */
export function exitCodeOf({ conformance, residue }: Verdict): number {
  if (conformance === "violated") return 1;
  if (residue === "left") return 3;
  if (conformance === "harness-error") return 255;
  if (conformance === "blocked") return 4;
  if (conformance === "unknown" || residue === "unknown") return 2;
  return 0;
}
