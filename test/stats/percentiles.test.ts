import { assert, constantFrom, integer, property } from "fast-check";
import { expect, test } from "vitest";
import { percentile, ranks } from "../../stats/percentiles.ts";

/** P(B < k), summed over exact binomial coefficients. */
function below(k: number, n: number, p: number): number {
  let sum = 0;
  let choose = 1;
  for (let i = 0; i < k; i += 1) {
    sum += choose * p ** i * (1 - p) ** (n - i);
    choose = (choose * (n - i)) / (i + 1);
  }
  return sum;
}

test.each([
  [0.5, 6],
  [0.9, 36],
  [0.95, 72],
  [0.99, 368],
])("p = %d has a finite upper limit from n = %d on", (p, n) => {
  const samples = Array.from({ length: n }, (_, i) => i);
  expect(percentile(samples, p)).toMatchObject({ kind: "estimate", high: n - 1 });
  expect(percentile(samples.slice(1), p)).toEqual({ kind: "too-small" });
});

// The critical ranks of the two-sided sign test at 5 %.
test.each([
  [6, 1, 6],
  [16, 4, 13],
  [40, 14, 27],
])("the median of %d samples lies between those of rank %d and %d", (n, lower, upper) => {
  expect(ranks(n, 0.5)).toEqual({ lower, upper });
});

test("the ranks are the tightest whose tails are at most 2.5 % each", () => {
  const tightest = property(integer({ min: 1, max: 60 }), constantFrom(0.1, 0.5, 0.9, 0.95), (n, p) => {
    const { lower, upper } = ranks(n, p);
    expect(below(lower, n, p)).toBeLessThanOrEqual(0.025 + 1e-12);
    expect(below(lower + 1, n, p)).toBeGreaterThan(0.025 - 1e-12);
    if (upper <= n) expect(1 - below(upper, n, p)).toBeLessThanOrEqual(0.025 + 1e-9);
    expect(1 - below(upper - 1, n, p)).toBeGreaterThan(0.025 - 1e-9);
  });
  assert(tightest, { numRuns: 200 });
});

test("the order of the samples does not matter, and they stay as they are", () => {
  const samples = [9, 1, 5, 3, 7, 2, 8, 4, 6];
  expect(percentile(samples, 0.5)).toEqual({ kind: "estimate", value: 5, low: 2, high: 8 });
  expect(samples[0]).toBe(9);
});

test("a failure ranks above every success", () => {
  const samples = [...Array.from({ length: 30 }, (_, i) => i), ...Array.from({ length: 30 }, () => Infinity)];
  expect(percentile(samples, 0.9)).toMatchObject({ value: Infinity, high: Infinity });
  expect(percentile(samples, 0.25)).toMatchObject({ value: 14 });
});

test("a million samples are no trouble", () => {
  const { lower, upper } = ranks(1_000_000, 0.5);
  // Normal approximation: half the width is 1.96·√(n/4).
  expect(upper - lower).toBeGreaterThan(1_950);
  expect(upper - lower).toBeLessThan(1_970);
});

test("nothing at all is too small", () => {
  expect(percentile([], 0.5)).toEqual({ kind: "too-small" });
});
