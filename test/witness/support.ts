/** Real processes and a real host for the witness; every process is ended by its pid. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { pause } from "../../contract/clock.ts";
import { Digests } from "../../history/digests.ts";
import { WITNESS, type WitnessKind, type WitnessValue } from "../../schemas/documents.ts";
import { check } from "../../schemas/validate.ts";
import { HostWitness } from "../../witness/host-witness.ts";
import { type HostProcess, hasEnded, living, readProcess, readProcesses } from "../../witness/processes.ts";
import { valueOf } from "../../witness/read.ts";

const REACHED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 10;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

export const isRoot = process.getuid?.() === 0;

export const word = (length: number): string =>
  [...randomBytes(length)].map((byte) => BASE32[byte % BASE32.length]).join("");
export const newToken = (): string => word(16);

/** Fails when it does not come true in time. */
export async function until<T>(what: string, ask: () => T | undefined | false): Promise<T> {
  const end = performance.now() + REACHED_WITHIN_MS;
  for (;;) {
    const answer = ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > end) throw new Error(`not reached: ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

export const isLive = (pid: number): boolean => {
  const found = valueOf(readProcess(pid));
  return found !== undefined && !hasEnded(found);
};

/** The process leads a session of its own and prints to a pipe. Its process group is killed when the test ends. */
export function launch(argv: readonly string[], env: Record<string, string> = {}): ChildProcess & { pid: number } {
  const [program = "", ...rest] = argv;
  const child = spawn(program, rest, {
    env: { PATH: process.env["PATH"], ...env },
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`did not start: ${program}`);
  onTestFinished(async () => {
    kill(-pid);
    await until("the child's end", () => !isLive(pid));
  });
  return Object.assign(child, { pid });
}

/** The number on the first line of its output: a pid of this host. It is killed when the test ends. */
export async function printedPid(child: ChildProcess): Promise<number> {
  const pid = await new Promise<number>((resolve) =>
    child.stdout?.once("data", (data: Buffer) => resolve(Number(data))),
  );
  onTestFinished(() => kill(pid));
  return pid;
}

export const find = (ask: (one: HostProcess) => boolean): HostProcess | undefined => living(readProcesses()).find(ask);

export interface Scene {
  readonly witness: HostWitness;
  readonly runId: string;
  readonly scratch: string;
  records<K extends WitnessKind>(kind: K): WitnessValue<K>[];
  /** The name that the witness gives a process of this run. */
  nameOf(pid: number): string;
  digests: Digests;
}

export function scene(localState: readonly string[] = []): Scene {
  const runId = word(26);
  const scratch = mkdtempSync(join(tmpdir(), "witness-test-"));
  const kept: { kind: WitnessKind; value: unknown }[] = [];
  const digests = new Digests(randomBytes(32));
  const witness = new HostWitness({
    runId,
    record(_source, kind, value) {
      expect(check(WITNESS[kind], value)).toMatchObject({ ok: true });
      kept.push({ kind, value });
    },
    pseudonym: (kind, value) => digests.pseudonym(kind, value),
    scratch: [scratch],
    localState,
  });
  onTestFinished(() => {
    witness.stop();
    rmSync(scratch, { recursive: true, force: true });
  });
  return {
    witness,
    runId,
    scratch,
    digests,
    records: <K extends WitnessKind>(kind: K) =>
      kept.filter((record) => record.kind === kind).map((record) => record.value as WitnessValue<K>),
    nameOf(pid) {
      const found = valueOf(readProcess(pid));
      if (found === undefined) throw new Error(`no process ${pid}`);
      return digests.pseudonym("process", found.identity);
    },
  };
}

/** The last record of this plane. */
export function lastPlane(of: Scene, plane: WitnessValue<"plane">["plane"]): WitnessValue<"plane"> {
  const found = of.records("plane").findLast((record) => record.plane === plane);
  if (found === undefined) throw new Error(`no record of ${plane}`);
  return found;
}
