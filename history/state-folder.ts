/** The private folder of the runs on this machine: made when a run needs it, gone when no run does. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, rmdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

const OWN_NAME = "sandproof";
const RUNS = "runs";
const PRIVATE = 0o700;
/** A run that ends may remove a folder between our making it and our using it: once more is enough, thrice is certain. */
const MAKE_ATTEMPTS = 3;

/** `$SANDPROOF_STATE`, else `${XDG_STATE_HOME:-~/.local/state}/sandproof`. */
export function stateFolder(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const own = env["SANDPROOF_STATE"];
  if (own !== undefined && own !== "") return resolve(own);
  const base = env["XDG_STATE_HOME"];
  return resolve(
    base === undefined || base === "" ? join(env["HOME"] ?? homedir(), ".local", "state") : base,
    OWN_NAME,
  );
}

export const runsFolder = (state: string): string => join(state, RUNS);
export const runFolder = (state: string, runId: string): string => join(runsFolder(state), runId);

/**
 * Makes the run's folder, and what is missing above it, for nobody else's eyes.
 * @returns the folders that did not exist, the deepest first.
 * @throws `EEXIST` when the run has a folder already.
 */
export function makeRunFolder(state: string, runId: string): readonly string[] {
  const runs = runsFolder(state);
  const run = runFolder(state, runId);
  for (let attempt = 1; ; attempt += 1) {
    const made = makeFolders(runs, PRIVATE);
    try {
      mkdirSync(run, { mode: PRIVATE });
    } catch (error) {
      if (attempt < MAKE_ATTEMPTS && codeOf(error) === "ENOENT") continue;
      removeFolders(made);
      throw error;
    }
    return [run, ...made];
  }
}

/**
 * Removes the run's folder with all in it, then the folders above it that are ours and empty: `runs`, a state folder
 * that bears our name, and those in `made`.
 */
export function removeRunFolder(state: string, runId: string, made: readonly string[] = []): void {
  rmSync(runFolder(state, runId), { recursive: true, force: true });
  let folder = runsFolder(state);
  while (isOurs(folder, state, made) && removeEmpty(folder)) folder = dirname(folder);
}

/** Makes the entries of a folder durable. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

const isOurs = (folder: string, state: string, made: readonly string[]): boolean =>
  folder === runsFolder(state) || (folder === state && basename(state) === OWN_NAME) || made.includes(folder);

/** False when something is left in it. A folder that another run removed first is as good as removed. */
function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOTEMPTY" || code === "EEXIST") return false;
    if (code !== "ENOENT") throw error;
  }
  return true;
}

/**
 * Makes `folder` and what is missing above it, one by one: Node's own `recursive` never returns where a file system
 * answers `ENOENT` to a `mkdir` in a folder that is there, as /proc does.
 * @returns the folders that did not exist, the deepest first.
 * @throws what the file system throws, with nothing made.
 */
export function makeFolders(folder: string, mode?: number): readonly string[] {
  const made: string[] = [];
  try {
    for (const place of missing(folder).toReversed()) if (makeFolder(place, mode)) made.unshift(place);
  } catch (error) {
    removeFolders(made);
    throw error;
  }
  return made;
}

/** Those that are still empty, the deepest first. */
export function removeFolders(folders: readonly string[]): void {
  for (const folder of folders) if (!removeEmpty(folder)) return;
}

/** False when somebody else was faster. */
function makeFolder(folder: string, mode: number | undefined): boolean {
  try {
    mkdirSync(folder, mode === undefined ? {} : { mode });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function missing(folder: string): string[] {
  const found: string[] = [];
  for (let place = folder; !existsSync(place); place = dirname(place)) found.push(place);
  return found;
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);
