import { expect, test } from "vitest";
import { effectiveWaits } from "../../contract/waits.ts";

const SECOND = 1000;
/** Default and ceiling of contract §2, in seconds. */
const TABLE = {
  createMs: [60, 600],
  readyMs: [10, 120],
  endedMs: [10, 120],
  destroyMs: [30, 300],
  listStaleMs: [2, 60],
  settleMs: [2, 60],
  policyMs: [2, 30],
  denyMs: [5, 30],
  pauseMs: [30, 300],
  forkMs: [30, 300],
  cancelMs: [2, 10],
  execGraceMs: [2, 15],
} as const;
type Name = keyof typeof TABLE;
const NAMES = Object.keys(TABLE) as Name[];

test("what is not declared has the contract's default", () => {
  expect(effectiveWaits({})).toEqual(Object.fromEntries(NAMES.map((name) => [name, TABLE[name][0] * SECOND])));
});

test.each(NAMES)("%s is what is declared, at most the ceiling", (name) => {
  const ceiling = TABLE[name][1] * SECOND;
  const of = (value: number) => effectiveWaits({ [name]: value })[name];
  expect(of(0)).toBe(0);
  expect(of(ceiling - 1)).toBe(ceiling - 1);
  expect(of(24 * 60 * 60 * SECOND)).toBe(ceiling);
});
