/** What operations and witnesses tell about the life of a sandbox. */
import { NS_PER_MS } from "../contract/clock.ts";
import { notOk, type Operation, okValue } from "../history/view.ts";
import type { SandboxState } from "../schemas/core.ts";
import type { Evidence } from "./check.ts";

/** One statement about one sandbox. `asked` and `told` bracket the moment that it speaks of; ns. */
export interface Sighting {
  /** Of the history; undefined where a witness speaks. */
  readonly event: number | undefined;
  readonly asked: number;
  readonly told: number;
  readonly live: boolean;
  readonly by: "observe" | "list" | "exec" | "token" | "native";
  /** Pseudonym of the id that a list showed. */
  readonly id?: string;
  /** A list showed the attempt's own mark, not just an id that was known. */
  readonly marked?: boolean;
}

/** A complete list, and what it showed. Being absent from it is told by {@link absence}, not by a sighting each. */
interface Listing {
  readonly operation: Operation;
  readonly asked: number;
  readonly told: number;
  /** Ids that it showed live, by target. */
  readonly live: ReadonlyMap<string, readonly string[]>;
}

interface Index {
  readonly byTarget: ReadonlyMap<string, readonly Sighting[]>;
  readonly complete: readonly Listing[];
}

export const isLive = (state: SandboxState): boolean => state !== "terminal" && state !== "absent";

/** Of an observation: live, ended, or undefined when it says nothing. */
export function observedLive(operation: Operation): boolean | undefined {
  const seen = okValue(operation, "observe");
  if (seen !== undefined) return isLive(seen.state);
  return notOk(operation)?.error.code === "not-found" ? false : undefined;
}

/** Everything that observe, exec, unfiltered lists and host witnesses showed of a sandbox, in order of asking. */
export const sightings = (evidence: Evidence, target: string): readonly Sighting[] =>
  indexOf(evidence).byTarget.get(target) ?? [];

/** Complete lists that were asked for at `from` (ns) or later, in order of asking. */
export function completeLists(evidence: Evidence, from = 0): readonly Listing[] {
  const { complete } = indexOf(evidence);
  return complete.slice(firstFrom(complete, from));
}

/** The first complete list, asked and told between `from` and `until` (ns), that does not show the sandbox live. */
export function absence(
  evidence: Evidence,
  { target, id }: { readonly target: string; readonly id?: string },
  from: number,
  until = Number.POSITIVE_INFINITY,
): Listing | undefined {
  const { complete } = indexOf(evidence);
  for (let n = firstFrom(complete, from); n < complete.length; n += 1) {
    const list = complete[n];
    if (list === undefined || list.asked >= until) return undefined;
    const shown = list.live.get(target) ?? [];
    if (list.told < until && !(id === undefined ? shown.length > 0 : shown.includes(id))) return list;
  }
  return undefined;
}

export interface Life {
  readonly target: string;
  /** Pseudonym of the id that its create gave. */
  readonly id: string;
  readonly create: Operation;
  /** The first destroy that was acknowledged. */
  readonly destroyed: Operation | undefined;
}

/** Sandboxes of the run whose create was acknowledged. */
export function lives({ history }: Evidence): Life[] {
  return history.byMethod("create").flatMap((create) => {
    const made = okValue(create, "create");
    const { target } = create;
    if (made === undefined || target === undefined || target === "by") return [];
    return [{ target, id: made.id, create, destroyed: firstDestroyed(history.byTarget(target)) }];
  });
}

const firstDestroyed = (operations: readonly Operation[]): Operation | undefined =>
  operations.find((operation) => okValue(operation, "destroy") !== undefined);

/** What was shown of this very sandbox: where one create made two, lists show the other one under its target as well. */
export const sightingsOf = (evidence: Evidence, { target, id }: Life): readonly Sighting[] =>
  sightings(evidence, target).filter((s) => s.id === undefined || s.id === id);

/** Whether a sighting contradicts a destroy that was acknowledged then (ns). A list may lag by what is declared. */
export const contradicts = ({ waits }: Evidence, sighting: Sighting, acknowledged: number): boolean =>
  sighting.live && sighting.asked > acknowledged + ms(waits.endedMs + (sighting.by === "list" ? waits.listStaleMs : 0));

export const toldAt = (operation: Operation): number => operation.completion?.t ?? Number.POSITIVE_INFINITY;
export const sentAt = (operation: Operation): number => operation.completion?.sent ?? operation.invoke.t;
export const ms = (value: number): number => value * NS_PER_MS;

/** Built once a run: with a scan for each sandbox the judges would be quadratic in the length of the run. */
const INDEXES = new WeakMap<Evidence, Index>();

function indexOf(evidence: Evidence): Index {
  const known = INDEXES.get(evidence);
  if (known !== undefined) return known;
  const index = buildIndex(evidence);
  INDEXES.set(evidence, index);
  return index;
}

function buildIndex(evidence: Evidence): Index {
  const byTarget = new Map<string, Sighting[]>();
  const add = (target: string | undefined, sighting: Sighting) => {
    if (target === undefined) return;
    const list = byTarget.get(target);
    if (list === undefined) byTarget.set(target, [sighting]);
    else list.push(sighting);
  };
  const { history } = evidence;
  for (const operation of history.byMethod("observe")) {
    const live = observedLive(operation);
    if (live !== undefined) add(operation.target, { ...momentOf(operation), live, by: "observe" });
  }
  for (const operation of history.byMethod("exec")) {
    if (okValue(operation, "exec") !== undefined)
      add(operation.target, { ...momentOf(operation), live: true, by: "exec" });
  }
  const complete: Listing[] = [];
  for (const operation of history.byMethod("list")) {
    const listed = okValue(operation, "list");
    if (listed === undefined) continue;
    const moment = momentOf(operation);
    for (const { target, id, state, attempt } of listed.items)
      add(target, { ...moment, live: isLive(state), by: "list", id, marked: attempt !== undefined });
    if (listed.complete) complete.push({ operation, ...moment, live: liveIn(listed.items) });
  }
  const seen = (t: number) => ({ event: undefined, asked: t, told: t });
  for (const { t, value } of evidence.witness("token"))
    add(value.target, { ...seen(t), live: value.alive > 0, by: "token" });
  for (const { t, value } of evidence.witness("native"))
    add(value.target, { ...seen(t), live: value.live, by: "native" });
  for (const list of byTarget.values()) list.sort((a, b) => a.asked - b.asked);
  return { byTarget, complete: complete.sort((a, b) => a.asked - b.asked) };
}

const momentOf = (operation: Operation) => ({
  event: operation.index,
  asked: sentAt(operation),
  told: toldAt(operation),
});

function liveIn(
  items: readonly { readonly target?: string; readonly id: string; readonly state: SandboxState }[],
): Map<string, string[]> {
  const live = new Map<string, string[]>();
  for (const { target, id, state } of items) {
    if (target === undefined || !isLive(state)) continue;
    live.set(target, [...(live.get(target) ?? []), id]);
  }
  return live;
}

/** Place of the first list that was asked for at `from` or later. */
function firstFrom(lists: readonly Listing[], from: number): number {
  let [low, high] = [0, lists.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lists[middle]?.asked ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
