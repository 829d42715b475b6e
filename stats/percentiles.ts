/**
 * Percentiles as order statistics, with distribution-free two-sided 95 % intervals from the binomial distribution: whatever the
 * distribution of X, the number of n samples below its p-quantile is binomial(n, p). Source: W. J. Conover, Practical
 * Nonparametric Statistics, 3rd ed., §3.2; H. A. David and H. N. Nagaraja, Order Statistics, 3rd ed., §7.1.
 */

/** What may fall outside on each side. */
const TAIL = 0.025;

export type Percentile =
  /** `low` is missing where not even the smallest sample is a lower limit. `Infinity` stands for a failure. */
  | { readonly kind: "estimate"; readonly value: number; readonly low: number | undefined; readonly high: number }
  /** No sample is an upper limit: the interval is not finite. */
  | { readonly kind: "too-small" };

/**
 * The sample of rank ⌈n·p⌉ with its interval. Nothing is trimmed or interpolated.
 * @param samples any order and unit; a failure is `Infinity`, and so ranks above every success.
 * @param p between 0 and 1, both excluded.
 */
export function percentile(samples: readonly number[], p: number): Percentile {
  const sorted = samples.toSorted((a, b) => a - b);
  const { lower, upper } = ranks(sorted.length, p);
  const [value, high] = [sorted[Math.ceil(sorted.length * p) - 1], sorted[upper - 1]];
  if (value === undefined || high === undefined) return { kind: "too-small" };
  return { kind: "estimate", value, low: sorted[lower - 1], high };
}

/**
 * Ranks from 1 of the samples between which the p-quantile lies: the greatest `lower` with P(B < lower) ≤ 2.5 % and the smallest
 * `upper` with P(B ≥ upper) ≤ 2.5 %, B binomial(n, p). 0 and n + 1 stand for no such sample.
 */
export function ranks(n: number, p: number): { readonly lower: number; readonly upper: number } {
  let below = 0;
  let lower = 0;
  // P(B = k), by its logarithm: the first terms are too small for a number where n is large.
  let log = n * Math.log1p(-p);
  for (let k = 0; k <= n; k += 1) {
    // Here `below` is P(B < k).
    if (below <= TAIL) lower = k;
    if (1 - below <= TAIL) return { lower, upper: k };
    below += Math.exp(log);
    log += Math.log(n - k) - Math.log(k + 1) + Math.log(p) - Math.log1p(-p);
  }
  return { lower, upper: n + 1 };
}
