import type { Waits } from "../schemas/description.ts";

export type WaitName = keyof Waits;

/** Default and ceiling of each declared wait, in milliseconds (contract §2). */
const BOUNDS: Readonly<Record<WaitName, { default: number; ceiling: number }>> = {
  createMs: { default: 60_000, ceiling: 600_000 },
  readyMs: { default: 10_000, ceiling: 120_000 },
  endedMs: { default: 10_000, ceiling: 120_000 },
  destroyMs: { default: 30_000, ceiling: 300_000 },
  listStaleMs: { default: 2_000, ceiling: 60_000 },
  settleMs: { default: 2_000, ceiling: 60_000 },
  policyMs: { default: 2_000, ceiling: 30_000 },
  denyMs: { default: 5_000, ceiling: 30_000 },
  pauseMs: { default: 30_000, ceiling: 300_000 },
  forkMs: { default: 30_000, ceiling: 300_000 },
  cancelMs: { default: 2_000, ceiling: 10_000 },
  execGraceMs: { default: 2_000, ceiling: 15_000 },
};

export type EffectiveWaits = Readonly<Record<WaitName, number>>;

/** Declared waits with defaults filled in and cut at the ceiling, so that nobody passes by declaring a day. */
export function effectiveWaits(declared: Waits): EffectiveWaits {
  const entries = Object.entries(BOUNDS).map(([name, bound]) => {
    const value = declared[name as WaitName] ?? bound.default;
    return [name, Math.min(value, bound.ceiling)] as const;
  });
  return Object.fromEntries(entries) as EffectiveWaits;
}
