/** Runs the command line as a user does, in folders of its own. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { pause } from "../../contract/clock.ts";
import { Outside } from "./outside.ts";

export const BIN = join(import.meta.dirname, "..", "..", "bin", "sandproof.js");
const LOOK_EVERY_MS = 10;
const REACHED_WITHIN_MS = 30_000;

const OPTIONS = {
  reject: false,
  stdin: "ignore",
  // A process group of its own, as a shell makes one.
  detached: true,
  forceKillAfterDelay: false,
} as const;

const launch = (cwd: string, env: Readonly<Record<string, string>>, args: readonly string[]) =>
  execa(process.execPath, [BIN, ...args], { ...OPTIONS, cwd, env });

export type Running = ReturnType<typeof launch>;

export interface Place {
  readonly root: string;
  /** `SANDPROOF_STATE`; not there before a run, and not after. */
  readonly state: string;
  readonly out: string;
  readonly outside: Outside;
  readonly env: Readonly<Record<string, string>>;
  /** Starts it in a process group of its own, as a shell does. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Running;
  /** Sweeps what a failed test left, then removes the folder: with its records a sandbox could no more be found. */
  close(): Promise<void>;
}

export function openPlace(): Place {
  const root = mkdtempSync(join(tmpdir(), "sandproof-live-"));
  const temp = join(root, "temp");
  mkdirSync(temp);
  const state = join(root, "state", "sandproof");
  const env = { SANDPROOF_STATE: state, TMPDIR: temp };
  return {
    root,
    state,
    out: join(root, "out"),
    outside: new Outside(root),
    env,
    start: (args, more = {}) => launch(root, { ...env, ...more }, args),
    async close() {
      if (existsSync(state)) await launch(root, env, ["sweep"]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Of the only run in this place, as far as it is whole; empty before there is one. */
export function journalOf({ state }: Place): readonly Readonly<Record<string, unknown>>[] {
  try {
    const [run = ""] = readdirSync(join(state, "runs"));
    const lines = readFileSync(join(state, "runs", run, "journal.ndjson"), "utf8")
      .split("\n")
      .slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  } catch {
    // No run yet, or no longer.
    return [];
  }
}

/** The living adapter of the run, by the last entry that names one. */
export const adapterPid = (place: Place): number | undefined => {
  const pid = journalOf(place).findLast(({ kind }) => kind === "adapter")?.["pid"];
  return typeof pid === "number" ? pid : undefined;
};

/** Fails when it does not come true in time, or the program ends before. */
export async function until(what: string, running: Running, ask: () => boolean): Promise<void> {
  const end = performance.now() + REACHED_WITHIN_MS;
  while (!ask()) {
    if (!isRunning(running)) throw new Error(`ended before: ${what}`);
    if (performance.now() > end) throw new Error(`not reached: ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}

export const isRunning = ({ nodeChildProcess: { exitCode, signalCode } }: Running): boolean =>
  exitCode === null && signalCode === null;

/** Resolves when it has printed this to its stderr; fails when it ends before. */
export function said(running: Running, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = "";
    running.stderr.on("data", (chunk: Uint8Array) => {
      seen += Buffer.from(chunk).toString();
      if (seen.includes(text)) resolve();
    });
    void running.then(({ stderr }) => (stderr.includes(text) ? resolve() : reject(new Error(`never said: ${text}`))));
  });
}
