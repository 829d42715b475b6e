/** `sweep` after a kill −9, and where there is nothing, half a journal, or a foreign one. */
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pause } from "../../contract/clock.ts";
import { isAlive } from "../../history/liveness.ts";
import { newRunId } from "../../history/tokens.ts";
import type { JournalEntry } from "../../schemas/documents.ts";
import { reach } from "./kill-point.ts";
import { treeOf } from "./outside.ts";
import { journalOf, openPlace, type Place, until } from "./place.ts";

/** Older than a harness takes from its folder to its first entry. */
const LONG_AGO_S = 60;
const ORPHAN_GONE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 20;

let place: Place;
beforeEach(() => {
  place = openPlace();
});
afterEach(() => place.close());

const sweep = async (...args: readonly string[]) => {
  const { exitCode, stdout } = await place.start(["sweep", ...args]);
  return { exitCode, stdout };
};
const contents = () =>
  treeOf(place.state).map((path) => [path, path.endsWith(".ndjson") ? readFileSync(path, "utf8") : ""]);

/** A run's folder with this in its journal; none at all when undefined. */
function folderOf(journal: string | undefined): string {
  const id = newRunId();
  const folder = join(place.state, "runs", id);
  mkdirSync(folder, { recursive: true });
  if (journal !== undefined) writeFileSync(join(folder, "journal.ndjson"), journal);
  const then = Date.now() / 1000 - LONG_AGO_S;
  utimesSync(folder, then, then);
  return id;
}

/** The adapter ends at the end of its input, but what it was at it finishes first. */
async function orphanGone(of: Place): Promise<void> {
  const entries = journalOf(of) as readonly JournalEntry[];
  const [first] = entries;
  const orphan = entries.findLast((entry) => entry.kind === "adapter");
  if (first?.kind !== "run" || orphan === undefined) throw new Error("the journal tells of no adapter");
  const identity = { ...first.harness, pid: orphan.pid, startTime: orphan.startTime };
  for (let waited = 0; isAlive(identity) === "alive"; waited += LOOK_EVERY_MS) {
    if (waited > ORPHAN_GONE_WITHIN_MS) throw new Error("the orphaned adapter lives on");
    await pause(LOOK_EVERY_MS);
  }
}

test("a dry run counts and changes nothing; then all is removed, and a corrupt journal hinders nobody", async () => {
  const run = place.start(["prove", "--out", place.out]);
  const stopWatching = place.outside.watch();
  await until("two sandboxes", run, () => journalOf(place).filter(({ kind }) => kind === "made").length >= 2);
  place.outside.sample();
  run.kill("SIGKILL");
  await run;
  stopWatching();
  await orphanGone(place);
  const before = contents();
  const dry = await sweep("--dry-run");
  expect(dry).toEqual({ exitCode: 0, stdout: expect.stringMatching(/dead: \d+ sandboxes would be removed/) as string });
  expect(contents()).toEqual(before);

  const corrupt = folderOf('{"kind":"nonsense"}\n');
  const { exitCode, stdout } = await sweep("--json");
  const reports = JSON.parse(stdout) as { run: string; status: string; left?: unknown[] }[];
  expect(exitCode).toBe(3);
  expect(reports.find((report) => report.run === corrupt)).toMatchObject({
    status: "failed",
    why: expect.stringContaining("journal line 1") as string,
  });
  expect(reports.find((report) => report.run !== corrupt)).toMatchObject({ status: "swept", left: [] });
  const left = await place.outside.residue();
  expect(left.filter((what) => !what.includes(corrupt) && !/sandproof(\/runs)?$/.test(what))).toEqual([]);
});

test("without a run there is nothing to sweep", async () => {
  expect(await sweep()).toEqual({ exitCode: 0, stdout: "No run left a journal: nothing to sweep." });
  expect(await sweep("--json")).toEqual({ exitCode: 0, stdout: "[]" });
});

test.each([
  ["no journal", undefined],
  ["an empty journal", ""],
  ["half a first entry", '{"kind":"run","ru'],
])("a harness that died with %s made nothing: forgotten, once it cannot be one that starts", async (_what, journal) => {
  const id = folderOf(journal);
  const folder = join(place.state, "runs", id);
  const now = Date.now() / 1000;
  utimesSync(folder, now, now);
  expect(await sweep()).toEqual({ exitCode: 0, stdout: expect.stringContaining("is starting") as string });
  utimesSync(folder, now - LONG_AGO_S, now - LONG_AGO_S);
  expect(await sweep()).toEqual({ exitCode: 0, stdout: expect.stringContaining("forgotten") as string });
  expect(treeOf(place.state)).toEqual([]);
});

test.each([
  { victim: "harness", afterMs: 900 },
  { victim: "harness", afterMs: 2_500, sweepKilledAfterMs: 400 },
  { victim: "adapter", afterMs: 1_500 },
  { victim: "adapter", afterMs: 3_000 },
] as const)("killed −9: %j", async (point) => {
  expect(await reach(point)).toMatchObject({ faults: [] });
});
