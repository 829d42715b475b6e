import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { requirementSet } from "../../contract/requirements.ts";
import { MUTANTS } from "../../mutants/catalogue.ts";
import { CHECKS } from "../../suites/catalogue.ts";

const corpusRow = /^(EX|LC|FS|IS|EG|FK|DN|LT|OB|CL)-\d\d$/;

describe("the mutants", () => {
  it("have ids of their own", () => {
    expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
  });

  it("each plant a fault and expect a check", () => {
    for (const { id, expected, plant, tamper } of MUTANTS) {
      expect(expected.length, id).toBeGreaterThan(0);
      expect(plant ?? tamper, id).toBeDefined();
    }
  });

  it("name checks of the catalogue and rows of the fault corpus, none twice", () => {
    const known = new Set<string>(requirementSet().checks.map(({ id }) => id));
    for (const { id, expected, also, faultRows } of MUTANTS) {
      const named = [...expected, ...also];
      expect(
        named.filter((check) => !known.has(check)),
        id,
      ).toEqual([]);
      expect(new Set(named).size, id).toBe(named.length);
      for (const row of faultRows) expect(row, id).toMatch(corpusRow);
    }
  });

  it("leave no built check without one that expects it", () => {
    const expected = new Set(MUTANTS.flatMap((mutant) => mutant.expected));
    expect(CHECKS.map(({ id }) => id).filter((id) => !expected.has(id))).toEqual([]);
  });
});

describe("the stored kill matrix", () => {
  const matrix = JSON.parse(readFileSync(new URL("../../mutants/matrix.json", import.meta.url), "utf8")) as {
    readonly checks: readonly string[];
    readonly mutants: readonly { readonly id: string; readonly fault: string }[];
    readonly unkilledChecks: readonly string[];
    readonly survivors: readonly string[];
    readonly falseAlarms: readonly unknown[];
  };

  it("is of these checks and these mutants", () => {
    expect([...matrix.checks].sort()).toEqual(CHECKS.map(({ id }) => id).sort());
    expect(matrix.mutants.map(({ id }) => id)).toEqual(MUTANTS.map(({ id }) => id));
  });

  it("has no unkilled check, no survivor, no false alarm", () => {
    expect(matrix.unkilledChecks).toEqual([]);
    expect(matrix.survivors).toEqual([]);
    expect(matrix.falseAlarms).toEqual([]);
  });
});
