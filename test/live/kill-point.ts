/** One kill −9 of a `prove` at one moment, and what is left of it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pause } from "../../contract/clock.ts";
import type { Results } from "../../schemas/documents.ts";
import { adapterPid, isRunning, journalOf, openPlace, type Place, type Running } from "./place.ts";

/** Before this an adapter's pid is not in the journal; ms. */
const LOOK_EVERY_MS = 5;

export interface Point {
  readonly victim: "harness" | "adapter";
  /** After the start of the program; ms. */
  readonly afterMs: number;
  /** The first sweep is itself killed −9 after so many ms. */
  readonly sweepKilledAfterMs?: number;
}

export interface Reached {
  /** False when the run had ended before the moment came. */
  readonly killed: boolean;
  /** Of the run; undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  /** What the run was at: last entry of its journal. */
  readonly at: string;
  /** Of an adapter's kill: what the verdicts say of it. */
  readonly told?: string;
  /** Anything that is not as it must be. */
  readonly faults: readonly string[];
}

export async function reach(point: Point): Promise<Reached> {
  const place = openPlace();
  const stopWatching = place.outside.watch();
  const run = place.start(["prove", "--out", place.out, "--seed", "1"]);
  try {
    return point.victim === "harness" ? await killHarness(place, run, point) : await killAdapter(place, run, point);
  } finally {
    run.kill("SIGKILL");
    await run;
    stopWatching();
    await place.close();
  }
}

async function killHarness(place: Place, run: Running, point: Point): Promise<Reached> {
  await Promise.race([run, pause(point.afterMs)]);
  place.outside.sample();
  const at = lastEntry(place);
  const killed = run.kill("SIGKILL");
  const { exitCode } = await run;
  place.outside.sample();
  const faults: string[] = [];
  if (point.sweepKilledAfterMs !== undefined) {
    const first = place.start(["sweep"]);
    await Promise.race([first, pause(point.sweepKilledAfterMs)]);
    place.outside.sample();
    first.kill("SIGKILL");
    await first;
  }
  const sweep = await sweepUntilTold(place);
  if (sweep.exitCode !== 0) faults.push(`sweep exited ${sweep.exitCode}: ${sweep.stdout} ${sweep.stderr}`);
  faults.push(...(await place.outside.residue()));
  return { killed, exitCode, at, faults };
}

/** A run that may still be starting is left alone for so long. */
const STARTING_MS = 10_000;

async function sweepUntilTold(place: Place) {
  const first = await place.start(["sweep"]);
  if (!first.stdout.includes("is starting")) return first;
  await pause(STARTING_MS);
  return place.start(["sweep"]);
}

async function killAdapter(place: Place, run: Running, point: Point): Promise<Reached> {
  await Promise.race([run, pause(point.afterMs)]);
  while (adapterPid(place) === undefined && isRunning(run)) await pause(LOOK_EVERY_MS);
  const pid = adapterPid(place);
  const at = lastEntry(place);
  const killed = pid !== undefined && isRunning(run) && kill(pid);
  const { exitCode, stderr } = await run;
  const faults: string[] = [];
  if (exitCode === undefined || exitCode > 4) faults.push(`prove exited ${exitCode}: ${stderr}`);
  // The run cleans up by itself: there is nothing to sweep.
  faults.push(...(await place.outside.residue()));
  if (exitCode !== 4 && !existsSync(place.out)) faults.push("no evidence was published");
  return { killed, exitCode, at, faults, ...(existsSync(place.out) ? { told: told(place) } : {}) };
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
    throw error;
  }
}

const lastEntry = (place: Place): string => {
  const { kind, target, id } = journalOf(place).at(-1) ?? {};
  return [kind ?? "nothing", target ?? id].filter((word) => typeof word === "string").join(" ");
};

function told({ out }: Place): string {
  const results = JSON.parse(readFileSync(join(out, "results.json"), "utf8")) as Results;
  const history = readFileSync(join(out, "history", "0.ndjson"), "utf8");
  const died = history.split('"adapter-ended"').length - 1;
  const unasked = history.split('"expected":false').length - 1;
  const bad = results.checks.filter(
    ({ status }) => status === "fail" || status === "unknown" || status === "harness-error",
  );
  return [
    `ends of adapter ${died}, unasked ${unasked}`,
    ...bad.map(({ id, status, detail }) => `${status} ${id}: ${detail}`),
  ].join("\n  ");
}
