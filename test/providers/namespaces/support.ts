/** An adapter with a state folder of its own, and short ways to use it. Fails, never skips, where the host cannot do it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter, Call } from "../../../contract/port.ts";
import { cgroupRoot } from "../../../providers/namespaces/host.ts";
import open from "../../../providers/namespaces/index.ts";
import type { Exit, SandboxId, Token } from "../../../schemas/core.ts";
import type { Command, Spec } from "../../../schemas/messages.ts";

export const DEADLINE_MS = 30_000;

export const call = (signal = new AbortController().signal): Call => ({ signal, deadlineMs: DEADLINE_MS });

export interface Ran {
  readonly exit: Exit;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Bench {
  readonly adapter: Adapter;
  readonly state: string;
  create(spec?: Spec): Promise<SandboxId>;
  run(id: SandboxId, command: Command | string, options?: RunOptions): Promise<Ran>;
  /** Ends what is left and removes the state folder. */
  close(): Promise<void>;
}

export interface RunOptions {
  readonly input?: AsyncIterable<Uint8Array>;
  readonly signal?: AbortSignal;
  readonly onOutput?: (text: string) => void;
}

export const token = "a".repeat(16) as Token;

export const openAdapter = (): Adapter | Promise<Adapter> =>
  open({ options: {}, secret: () => undefined, log: (message) => void process.stderr.write(`${message}\n`) });

/** Sets `XDG_STATE_HOME` of this process: one bench a test file. */
export async function openBench(): Promise<Bench> {
  const state = mkdtempSync(join(tmpdir(), "sandproof-namespaces-test-"));
  process.env["XDG_STATE_HOME"] = state;
  const adapter = await openAdapter();
  const { ready, problems } = await adapter.check(call());
  if (!ready) throw new Error(`this host cannot run the provider: ${JSON.stringify(problems)}`);
  return {
    adapter,
    state,
    create: async (spec = {}) => (await adapter.create({ spec, attempt: token }, call())).id,
    run: (id, command, options) => run(adapter, id, command, options),
    async close() {
      const { items } = await adapter.list({}, call());
      for (const { id } of items) await adapter.destroy({ id }, call());
      await adapter.close();
      rmSync(state, { recursive: true });
    },
  };
}

/** A string is a script. */
async function run(adapter: Adapter, id: SandboxId, command: Command | string, options: RunOptions = {}): Promise<Ran> {
  const chunks: Record<"stdout" | "stderr", Uint8Array[]> = { stdout: [], stderr: [] };
  const output = async (stream: "stdout" | "stderr", chunk: Uint8Array) => {
    chunks[stream].push(chunk);
    options.onOutput?.(Buffer.from(chunk).toString());
  };
  const streams = options.input === undefined ? { output } : { output, input: options.input };
  const wanted = typeof command === "string" ? { script: command } : command;
  const { exit } = await adapter.exec({ id, command: wanted }, streams, call(options.signal));
  const [stdout, stderr] = [chunks.stdout, chunks.stderr].map((list) => Buffer.concat(list).toString());
  return { exit, stdout: stdout ?? "", stderr: stderr ?? "" };
}

export const exited = (code: number): Exit => ({ kind: "exited", code });

/** Processes of this host, ended ones apart, whose command line holds `text`. */
export const processesWith = (text: string): string[] =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && commandLine(name).includes(text));

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return ""; // it ended meanwhile
  }
}

/** Cgroups of the host that bear the id. */
export function cgroupsWith(id: string): string[] {
  const root = cgroupRoot() ?? "";
  return readdirSync(root)
    .filter((name) => name.startsWith("sandproof-"))
    .filter((name) => names(join(root, name)).includes(id));
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // another test's, gone meanwhile
  }
}

/** Asks until it holds; throws after `boundMs`. */
export async function eventually(what: string, holds: () => boolean, boundMs = 5_000): Promise<void> {
  const end = performance.now() + boundMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`not within ${boundMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
