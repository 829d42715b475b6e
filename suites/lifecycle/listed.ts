/** Waiting on lists: a provider may lag by what it declares, and no longer. */
import type { Lab } from "../../engine/lab.ts";
import type { Attempt } from "../../engine/ownership.ts";
import type { At } from "../../engine/sandbox.ts";

/** Lists, and tells which ids are shown as anything but ended; a list that fails shows none. */
async function shown(lab: Lab, at: At): Promise<ReadonlySet<string>> {
  const listed = await lab.list("none", at);
  if (listed.type !== "ok") return new Set();
  const live = listed.value.items.filter(({ state }) => state !== "terminal" && state !== "absent");
  return new Set<string>(live.map(({ id }) => id));
}

/** Lists until all ids are shown, or once more when `listStaleMs` is over. */
export function untilListed(lab: Lab, ids: readonly string[], at: At = {}): Promise<boolean> {
  return lab.until(lab.waits.listStaleMs, async () => {
    const seen = await shown(lab, at);
    return ids.every((id) => seen.has(id));
  });
}

/** Lists until something of the attempt is shown, or once more when `listStaleMs` is over. */
export function untilFound(lab: Lab, attempt: Attempt, at: At = {}): Promise<boolean> {
  return lab.until(lab.waits.listStaleMs, async () => {
    const seen = await shown(lab, at);
    return [...attempt.ids].some((id) => seen.has(id));
  });
}

/** Lists until nothing of the attempts is shown, or once more when `boundMs` is over. */
export function untilUnlisted(lab: Lab, attempts: readonly Attempt[], boundMs: number, at: At = {}): Promise<boolean> {
  return lab.until(boundMs, async () => {
    const seen = await shown(lab, at);
    return !attempts.some(({ ids }) => [...ids].some((id) => seen.has(id)));
  });
}
