/** The run's one clock: monotonic, integer nanoseconds since it was started. */
export interface Clock {
  now(): number;
}

export function startClock(): Clock {
  const origin = process.hrtime.bigint();
  return { now: () => Number(process.hrtime.bigint() - origin) };
}

export const NS_PER_MS = 1_000_000;

/** Resolves after `ms` milliseconds, or at once when `signal` aborts. Callers pass a bound that has a name. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}
