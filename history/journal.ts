/** The private journal of a run: what it is about to make or remove, on disk before it does. Never published. */
import { closeSync, constants, fstatSync, fsyncSync, openSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { RunId } from "../schemas/core.ts";
import { RunId as RunIdSchema } from "../schemas/core.ts";
import { JournalEntry } from "../schemas/documents.ts";
import { check } from "../schemas/validate.ts";
import { parseLine } from "./json-line.ts";
import { makeRunFolder, removeRunFolder, runFolder, runsFolder, syncFolder } from "./state-folder.ts";
import { writeWhole } from "./write-whole.ts";

export { stateFolder } from "./state-folder.ts";

export type RunEntry = Extract<JournalEntry, { kind: "run" }>;

const FILE = "journal.ndjson";
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;

export class Journal {
  readonly runId: RunId;
  /** The run's private folder, 0700: the journal, and whatever else must go when the run is clean. */
  readonly folder: string;
  readonly path: string;
  readonly #state: string;
  readonly #made: readonly string[];
  #file: number | undefined;
  #fsyncNs = 0;
  #fsyncs = 0;

  private constructor(state: string, runId: RunId, made: readonly string[]) {
    this.runId = runId;
    this.#state = state;
    this.#made = made;
    this.folder = runFolder(state, runId);
    this.path = join(this.folder, FILE);
  }

  /** Makes `runs/<runId>/journal.ndjson` with its first entry, durable. @throws what the file system throws. */
  static create(state: string, run: RunEntry): Journal {
    const journal = new Journal(state, run.runId, makeRunFolder(state, run.runId));
    try {
      journal.#file = openSync(journal.path, NEW_FILE, 0o600);
      journal.append(run);
      // A file is found after a crash only if every folder on the way to it is on disk as well.
      for (const folder of journal.#made) journal.#timed(() => syncFolder(folder));
      journal.#timed(() => syncFolder(dirname(journal.#made.at(-1) ?? journal.folder)));
    } catch (error) {
      journal.remove();
      throw error;
    }
    return journal;
  }

  /** Returns when the entry is on disk. @throws on an entry that does not fit, and when the disk refuses: do not go on then. */
  append(entry: JournalEntry): void {
    const file = this.#file;
    if (file === undefined) throw new Error("the journal is closed");
    const checked = check(JournalEntry, entry);
    if (!checked.ok) throw new Error(`journal entry ${entry.kind} does not fit: ${checked.problem}`);
    writeWhole(file, `${JSON.stringify(entry)}\n`);
    this.#timed(() => fsyncSync(file));
    // Removed by somebody, it would be written on and help nobody.
    if (fstatSync(file).nlink === 0) throw new Error("the run's private journal was removed while the run needed it");
  }

  /** Nanoseconds spent waiting for the disk so far, and how many times: not the provider's time. */
  get fsyncNs(): number {
    return this.#fsyncNs;
  }
  get fsyncs(): number {
    return this.#fsyncs;
  }

  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  /** For a run that left nothing: its folder goes, and so do the folders above it that are ours and empty. */
  remove(): void {
    this.close();
    removeRunFolder(this.#state, this.runId, this.#made);
  }

  #timed(sync: () => void): void {
    const start = process.hrtime.bigint();
    sync();
    this.#fsyncNs += Number(process.hrtime.bigint() - start);
    this.#fsyncs += 1;
  }
}

/** The same for the run of a dead harness, by `sweep`. */
export const removeJournal = (state: string, runId: RunId): void => removeRunFolder(state, runId);

export interface ReadJournal {
  /** The first is the `run` entry; none at all when the harness died before it was whole, and so before it made anything. */
  readonly entries: readonly JournalEntry[];
  readonly tail: "whole" | "torn";
}

/** @throws on a line that does not fit (number and rule in the message), and what the file system throws. */
export function readJournal(path: string): ReadJournal {
  const lines = splitLines(readFileSync(path));
  const tail = lines.pop()?.byteLength === 0 ? "whole" : "torn";
  return { entries: lines.map(readEntry), tail };
}

function readEntry(bytes: Uint8Array, index: number): JournalEntry {
  const refuse = (problem: string) => new Error(`journal line ${index + 1}: ${problem}`);
  const parsed = parseLine(bytes);
  if (!parsed.ok) throw refuse(parsed.problem);
  const checked = check(JournalEntry, parsed.value);
  if (!checked.ok) throw refuse(checked.problem);
  if ((checked.value.kind === "run") !== (index === 0)) throw refuse("the run entry is the first, and only the first");
  return checked.value;
}

function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, start)) {
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  lines.push(bytes.subarray(start));
  return lines;
}

/** Every run that has a folder here, by id. A folder without a journal is listed too: its `path` does not exist then. */
export function listJournals(state: string): readonly { readonly runId: RunId; readonly path: string }[] {
  return entriesOf(runsFolder(state))
    .filter((name) => check(RunIdSchema, name).ok)
    .sort()
    .map((name) => ({ runId: name as RunId, path: join(runFolder(state, name), FILE) }));
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}
