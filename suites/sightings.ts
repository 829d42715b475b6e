/** What operations and witnesses tell about the life of a sandbox. */
import { NS_PER_MS } from "../contract/clock.ts";
import { notOk, type Operation, okValue } from "../history/view.ts";
import type { SandboxState } from "../schemas/core.ts";
import type { Evidence } from "./check.ts";

/** One statement about one sandbox. `asked` and `told` bracket the moment that it speaks of; ns. */
export interface Sighting {
  readonly event: number;
  readonly asked: number;
  readonly told: number;
  readonly live: boolean;
  readonly by: "observe" | "list" | "exec" | "token" | "native";
}

const isLive = (state: SandboxState): boolean => state !== "terminal" && state !== "absent";

/** Of an observation: live, ended, or undefined when it says nothing. */
export function observedLive(operation: Operation): boolean | undefined {
  const seen = okValue(operation, "observe");
  if (seen !== undefined) return isLive(seen.state);
  return notOk(operation)?.error.code === "not-found" ? false : undefined;
}

/** Everything that was said about a sandbox by observe, unfiltered or run lists, and host witnesses, in order of asking. */
export function sightings(evidence: Evidence, target: string): Sighting[] {
  const { history } = evidence;
  const found: Sighting[] = [];
  for (const operation of history.byTarget(target)) {
    const live = operation.f === "observe" ? observedLive(operation) : undefined;
    if (live !== undefined && operation.completion !== undefined) {
      found.push({
        event: operation.index,
        asked: operation.completion.sent,
        told: operation.completion.t,
        live,
        by: "observe",
      });
    }
  }
  for (const operation of history.byMethod("list")) {
    const listed = okValue(operation, "list");
    if (listed === undefined || operation.completion === undefined) continue;
    const items = listed.items.filter((item) => item.target === target);
    if (items.length === 0 && !listed.complete) continue;
    const live = items.some((item) => isLive(item.state));
    found.push({
      event: operation.index,
      asked: operation.completion.sent,
      told: operation.completion.t,
      live,
      by: "list",
    });
  }
  for (const record of evidence.witness("token")) {
    if (record.value.target === target) {
      found.push({ event: -1, asked: record.t, told: record.t, live: record.value.alive > 0, by: "token" });
    }
  }
  for (const record of evidence.witness("native")) {
    if (record.value.target === target) {
      found.push({ event: -1, asked: record.t, told: record.t, live: record.value.live, by: "native" });
    }
  }
  return found.sort((a, b) => a.asked - b.asked);
}

export interface Life {
  readonly target: string;
  readonly create: Operation;
  /** The first destroy that was acknowledged. */
  readonly destroyed: Operation | undefined;
}

/** Sandboxes of the run whose create was acknowledged. */
export function lives(evidence: Evidence): Life[] {
  const { history } = evidence;
  return history
    .byMethod("create")
    .filter(
      (create) => okValue(create, "create") !== undefined && create.target !== undefined && create.target !== "by",
    )
    .map((create) => {
      const target = create.target ?? "";
      const destroyed = history.byTarget(target).find((operation) => okValue(operation, "destroy") !== undefined);
      return { target, create, destroyed };
    });
}

export const toldAt = (operation: Operation): number => operation.completion?.t ?? Number.POSITIVE_INFINITY;
export const sentAt = (operation: Operation): number => operation.completion?.sent ?? operation.invoke.t;
export const ms = (value: number): number => value * NS_PER_MS;
