/** The record of one sandbox: a folder that any later process reads. It is there before anything is made on the host. */
import { mkdirSync, readdirSync, renameSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode, isMissing, type ProcessIdentity, readIfThere } from "./host.ts";

interface Facts {
  readonly id: string;
  readonly created: string;
  /** Names the cgroup and the range of user ids. */
  readonly slot: number;
  /** The process that creates it. */
  readonly creator: ProcessIdentity;
  readonly labels: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

export interface SandboxRecord extends Facts {
  /** Its removal has begun: nobody starts anything in it any more. */
  readonly ending: boolean;
}

const ID = /^ns-[a-z2-7]{16}$/;
const RECORD = "sandbox.json";
/** The same file once removal has begun: one rename, so that maker and remover cannot miss each other. */
const ENDING = "ending.json";
const UNFINISHED = "sandbox.json.new";
/** Written by launch.pl: number and start time of process 1. */
const INIT = ["init", "init.new"] as const;
const TRIES = 100;

/** All records below `home`. */
export class Records {
  readonly home: string;

  constructor(home: string) {
    this.home = home;
  }

  folder(id: string): string {
    return join(this.home, id);
  }

  /** Once per id. Another process may sweep the still empty folder away: then it is made again. */
  add(facts: Facts): void {
    const file = (name: string) => join(this.folder(facts.id), name);
    for (let tries = TRIES; ; tries--) {
      try {
        mkdirSync(this.folder(facts.id), { recursive: true, mode: 0o700 });
        writeFileSync(file(UNFINISHED), JSON.stringify(facts), { mode: 0o600 });
        return renameSync(file(UNFINISHED), file(RECORD));
      } catch (error) {
        if (!isMissing(error) || tries === 0) throw error;
      }
    }
  }

  read(id: string): SandboxRecord | undefined {
    if (!ID.test(id)) return undefined;
    const live = readIfThere(join(this.folder(id), RECORD));
    const text = live ?? readIfThere(join(this.folder(id), ENDING));
    return text === undefined ? undefined : { ...(JSON.parse(text) as Facts), ending: live === undefined };
  }

  /** Undefined until the sandbox was made in full. */
  init(id: string): ProcessIdentity | undefined {
    const [pid, start] =
      readIfThere(join(this.folder(id), INIT[0]))
        ?.trim()
        .split(" ") ?? [];
    return pid === undefined || start === undefined ? undefined : { pid: Number(pid), start };
  }

  markEnding(id: string): void {
    ignoreMissing(() => renameSync(join(this.folder(id), RECORD), join(this.folder(id), ENDING)));
  }

  /** After `markEnding`. The record goes last, so that a removal cut anywhere is found and done again. */
  remove(id: string): void {
    for (const name of [...INIT, ENDING]) ignoreMissing(() => unlinkSync(join(this.folder(id), name)));
    this.#removeFolder(id);
  }

  /** Every record. Folders without one own nothing: their process died before it wrote, or after it removed. They go. */
  all(): SandboxRecord[] {
    const ids = namesIn(this.home).filter((name) => ID.test(name));
    if (ids.length === 0) removeEmpty(this.home);
    return ids.flatMap((id) => {
      const record = this.read(id);
      if (record !== undefined) return record;
      ignoreMissing(() => unlinkSync(join(this.folder(id), UNFINISHED)));
      this.#removeFolder(id);
      return [];
    });
  }

  #removeFolder(id: string): void {
    removeEmpty(this.folder(id));
    removeEmpty(this.home);
  }
}

function namesIn(folder: string): string[] {
  let names: string[] = [];
  ignoreMissing(() => {
    names = readdirSync(folder).sort();
  });
  return names;
}

function removeEmpty(folder: string): void {
  try {
    ignoreMissing(() => rmdirSync(folder));
  } catch (error) {
    if (errorCode(error) !== "ENOTEMPTY") throw error;
  }
}

function ignoreMissing(action: () => void): void {
  try {
    action();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
