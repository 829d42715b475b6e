import { statSync } from "node:fs";
import { dirname } from "node:path";
import { pause } from "../contract/clock.ts";
import { effectiveWaits } from "../contract/waits.ts";
import { type RunEntry, readJournal } from "../history/journal.ts";
import { isAlive, type ProcessIdentity } from "../history/liveness.ts";
import type { SandboxId } from "../schemas/core.ts";
import type { Description } from "../schemas/description.ts";
import type { JournalEntry } from "../schemas/documents.ts";
import type { Method, Result } from "../schemas/messages.ts";
import type { Channel } from "../wire/channel.ts";
import { complete } from "./completion.ts";
import { Ownership } from "./ownership.ts";

const CALL_MS = 30_000;
const ROUNDS = 5;
const BETWEEN_ROUNDS_MS = 300;
/** After SIGKILL a process is gone at once but for its reaping. */
const GONE_MS = 5_000;
const GONE_POLL_MS = 50;
/** Between its folder and the first entry of its journal a harness cannot be told from a dead one: so long it is let be. */
const STARTING_MS = 10_000;

export type Dead =
  | { readonly kind: "dead"; readonly run: RunEntry; readonly entries: readonly JournalEntry[] }
  | { readonly kind: "empty" }
  | { readonly kind: "starting" }
  | { readonly kind: "alive"; readonly pid: number }
  | { readonly kind: "elsewhere" };

/** Whose a journal is: only a dead harness's of this boot and PID namespace may be swept. */
export function inspect(path: string): Dead {
  const entries = entriesOf(path);
  const [run] = entries;
  if (run?.kind !== "run") {
    const folder = statSync(dirname(path), { throwIfNoEntry: false });
    const age = folder === undefined ? Number.POSITIVE_INFINITY : Date.now() - folder.mtimeMs;
    return { kind: age < STARTING_MS ? "starting" : "empty" };
  }
  const state = isAlive(run.harness);
  if (state === "alive") return { kind: "alive", pid: run.harness.pid };
  return state === "dead" ? { kind: "dead", run, entries } : { kind: "elsewhere" };
}

/** None where the harness died before it wrote its journal. */
function entriesOf(path: string): readonly JournalEntry[] {
  try {
    return readJournal(path).entries;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

export interface Swept {
  readonly found: number;
  readonly removed: number;
  /** Ids that could not be removed, with the provider's words. */
  readonly left: readonly { readonly id: SandboxId; readonly why: string }[];
}

/** Ends the adapter processes that a dead harness left: they are ours, by pid and start time. */
export async function endOrphanedAdapters(run: RunEntry, entries: readonly JournalEntry[]): Promise<number> {
  const orphans = entries
    .filter((entry) => entry.kind === "adapter")
    .map((entry): ProcessIdentity => ({ ...run.harness, pid: entry.pid, startTime: entry.startTime }))
    .filter((identity) => isAlive(identity) === "alive");
  for (const { pid } of orphans) endProcess(pid);
  for (
    let waited = 0;
    waited < GONE_MS && orphans.some((orphan) => isAlive(orphan) === "alive");
    waited += GONE_POLL_MS
  ) {
    await pause(GONE_POLL_MS);
  }
  return orphans.length;
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/**
 * Finds by journal, label and name everything that a dead run made, and destroys it.
 * @param channel a fresh adapter process with the dead run's own state folders.
 * @param dryRun only counts.
 */
export async function sweepRun(
  channel: Channel,
  run: RunEntry,
  entries: readonly JournalEntry[],
  dryRun: boolean,
): Promise<Swept> {
  const description = await must(channel, "describe", { contract: 1, options: run.options });
  const ownership = Ownership.restore(run.runId, description.ownership, entries);
  const failures = new Map<SandboxId, string>();
  const found = new Set<SandboxId>();
  const betweenMs = Math.max(BETWEEN_ROUNDS_MS, effectiveWaits(description.waits).listStaleMs);
  for (let round = 0; ; round += 1) {
    await recogniseAll(channel, ownership);
    const live = ownership.live();
    for (const { id } of live) found.add(id);
    if (dryRun || round === ROUNDS) break;
    // A create that nobody saw the end of may show only after a while.
    if (live.length === 0 && (round > 0 || ownership.attempts().every(({ ids }) => ids.size > 0))) break;
    for (const { id } of live) {
      const why = await destroy(channel, id, description);
      if (why === undefined) {
        ownership.ended(id);
        failures.delete(id);
      } else failures.set(id, why);
    }
    await pause(betweenMs);
  }
  // What is listed after a destroy that was believed counts as left.
  const left = dryRun
    ? []
    : ownership
        .live()
        .map(({ id }) => ({ id, why: failures.get(id) ?? "still listed after its destroy was acknowledged" }));
  return { found: found.size, removed: dryRun ? 0 : found.size - left.length, left };
}

async function recogniseAll(channel: Channel, ownership: Ownership): Promise<void> {
  const { items } = await must(channel, "list", {});
  for (const item of items) ownership.recognise(item);
}

/** Undefined when it is gone; else why not. */
async function destroy(channel: Channel, id: SandboxId, description: Description): Promise<string | undefined> {
  const { destroyMs, cancelMs } = effectiveWaits(description.waits);
  const outcome = await channel.call("destroy", { id }, { deadlineMs: destroyMs, graceMs: cancelMs }).outcome;
  if (complete("destroy", outcome).type === "ok") return undefined;
  return outcome.kind === "error" ? outcome.error.message : outcome.kind;
}

async function must<M extends Method>(channel: Channel, method: M, params: object): Promise<Result<M>> {
  const outcome = await channel.call(method, params, { deadlineMs: CALL_MS, graceMs: 0 }).outcome;
  if (outcome.kind === "ok") return outcome.result;
  throw new Error(
    `the adapter did not answer \`${method}\`: ${outcome.kind === "error" ? outcome.error.message : outcome.kind}`,
  );
}
