import { describe, expect, test } from "vitest";
import { exitUnderAllowance } from "../../analysis/allowance.ts";
import { exitCodeOf, type Judged, verdictOf } from "../../analysis/verdict.ts";
import type { CheckResult, Conformance, Residue, Results, Status, UnknownCause } from "../../schemas/documents.ts";

interface Row {
  readonly area?: string;
  readonly deciding?: boolean;
  readonly cause?: UnknownCause;
  readonly known?: true;
}

const result = (status: Status, { area = "exec", deciding = true, cause, known }: Row = {}): CheckResult => ({
  id: `${area}.check` as CheckResult["id"],
  area,
  level: "must",
  status,
  deciding,
  requirement: "",
  detail: "",
  ...(cause === undefined ? {} : { cause }),
  ...(known === undefined ? {} : { known: { reason: "told", issue: "https://example.org/1" } }),
});
const residue = (status: Status, row: Row = {}) => result(status, { ...row, area: "residue" });
const plane = (status: Status): Results["planes"][number] => ({
  plane: "billing",
  status,
  during: 0,
  after: 0,
  others: 0,
  detail: "",
});

const judged = (checks: readonly CheckResult[], changes: Partial<Judged> = {}): Judged => ({
  checks: [...checks, ...(checks.some(({ area }) => area === "residue") ? [] : [residue("pass")])],
  planes: [plane("pass")],
  partial: false,
  history: "complete",
  ...changes,
});

describe("verdicts (judging §2)", () => {
  test.each<[string, Judged, Conformance, Residue]>([
    ["all pass", judged([result("pass")]), "conformant", "none"],
    [
      "unsupported and not-applicable are fine",
      judged([result("pass"), result("unsupported"), result("not-applicable")]),
      "conformant",
      "none",
    ],
    ["a selection never conforms", judged([result("pass")], { partial: true }), "passed-selection", "none"],
    ["one violation", judged([result("pass"), result("fail")]), "violated", "none"],
    ["a known failure", judged([result("pass"), result("fail", { known: true })]), "conformant", "none"],
    [
      "what does not decide does not",
      judged([result("pass"), result("fail", { deciding: false })]),
      "conformant",
      "none",
    ],
    ["a violation outweighs our own fault", judged([result("fail"), result("harness-error")]), "violated", "none"],
    ["our own fault", judged([result("pass"), result("harness-error")]), "harness-error", "none"],
    [
      "our own fault is never excused",
      judged([result("pass"), result("harness-error", { deciding: false, known: true })]),
      "harness-error",
      "none",
    ],
    ["one unknown", judged([result("pass"), result("unknown")]), "unknown", "none"],
    [
      "a plane without a witness is no doubt of conformance",
      judged([result("pass"), result("unknown", { deciding: false, cause: "no-witness" })]),
      "conformant",
      "none",
    ],
    ["unknown outweighs blocked", judged([result("pass"), result("unknown"), result("blocked")]), "unknown", "none"],
    ["one blocked", judged([result("pass"), result("blocked")]), "blocked", "none"],
    ["all blocked", judged([result("blocked"), residue("blocked")]), "blocked", "unknown"],
    ["nothing decided", judged([result("unknown"), result("unsupported")]), "unknown", "none"],
    [
      "nothing decided, nothing that must be",
      judged([result("unknown", { deciding: false, cause: "no-witness" })], { partial: true }),
      "unknown",
      "none",
    ],
    [
      "the residue checks decide no conformance",
      judged([result("unsupported"), residue("pass")], { partial: true }),
      "unknown",
      "none",
    ],
    ["a selection of residue alone", judged([residue("pass")], { partial: true }), "passed-selection", "none"],
    [
      "switched off",
      judged([result("pass"), result("disabled", { deciding: false })], { partial: true }),
      "passed-selection",
      "none",
    ],
    ["something left", judged([result("pass"), residue("fail"), residue("unknown")]), "conformant", "left"],
    ["a plane that nobody saw", judged([result("pass")], { planes: [plane("unknown")] }), "conformant", "unknown"],
    [
      "a selection sees the planes that it set out to see",
      judged([result("pass")], { planes: [plane("unknown")], partial: true }),
      "passed-selection",
      "none",
    ],
    [
      "a plane switched off is never green",
      judged([result("pass"), residue("pass"), residue("disabled", { deciding: false })], {
        planes: [plane("disabled")],
        partial: true,
      }),
      "passed-selection",
      "unknown",
    ],
    ["an unknown residue check", judged([result("pass"), residue("unknown")]), "conformant", "unknown"],
    ["a history without its end", judged([result("pass")], { history: "truncated" }), "unknown", "unknown"],
    [
      "a violation in a history without its end",
      judged([result("fail"), residue("fail")], { history: "truncated" }),
      "violated",
      "left",
    ],
    [
      "our own fault in a history without its end",
      judged([result("pass"), result("harness-error")], { history: "truncated" }),
      "harness-error",
      "unknown",
    ],
  ])("%s", (_what, given, conformance, left) => {
    expect(verdictOf(given)).toEqual({ conformance, residue: left });
  });
});

describe("exit codes: the first that applies", () => {
  test.each<[Conformance, Record<Residue, number>]>([
    ["conformant", { none: 0, left: 3, unknown: 2 }],
    ["passed-selection", { none: 0, left: 3, unknown: 2 }],
    ["violated", { none: 1, left: 1, unknown: 1 }],
    ["harness-error", { none: 255, left: 3, unknown: 255 }],
    ["unknown", { none: 2, left: 3, unknown: 2 }],
    ["blocked", { none: 4, left: 3, unknown: 4 }],
  ])("%s", (conformance, codes) => {
    for (const [left, code] of Object.entries(codes))
      expect(exitCodeOf({ conformance, residue: left as Residue }), left).toBe(code);
  });
});

describe("allowances change the exit code and are told, never the verdict", () => {
  const blocked = { blocked: true, unknown: [] };

  test("a block that was allowed is no failure; what is left is told all the same", () => {
    expect(exitUnderAllowance(judged([result("blocked")]), blocked)).toEqual({ exitCode: 0, allowed: ["blocked"] });
    expect(exitUnderAllowance(judged([result("blocked"), residue("fail")]), blocked)).toEqual({
      exitCode: 3,
      allowed: [],
    });
    expect(exitUnderAllowance(judged([result("blocked")]), undefined).exitCode).toBe(4);
  });

  test("an unknown check or plane is excused only where a glob names it", () => {
    const run = judged([result("pass"), { ...result("unknown"), id: "exec.other" as CheckResult["id"] }], {
      planes: [plane("unknown")],
    });
    const both = { blocked: false, unknown: ["exec.*", "residue.billing"] };
    expect(exitUnderAllowance(run, both)).toEqual({
      exitCode: 0,
      allowed: ["exec.other unknown", "residue.billing unknown"],
    });
    expect(exitUnderAllowance(run, { blocked: false, unknown: ["exec.*"] }).exitCode).toBe(2);
    expect(exitUnderAllowance(run, { blocked: false, unknown: ["files.*"] })).toEqual({ exitCode: 2, allowed: [] });
    expect(verdictOf(run).conformance).toBe("unknown");
  });

  test("a violation is never excused", () => {
    expect(exitUnderAllowance(judged([result("fail")]), { blocked: true, unknown: ["*"] }).exitCode).toBe(1);
  });
});
