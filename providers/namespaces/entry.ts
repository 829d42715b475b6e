/** One process in a sandbox, started by enter.pl: its request, its streams, its report, its end. */
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Readable, Writable } from "node:stream";
import { pause } from "../../contract/clock.ts";
import { ProviderError } from "../../contract/errors.ts";
import { cgroupPath, firstUid, kill, removeEmpty } from "./cgroup.ts";
import { faultError, isStage } from "./fault.ts";
import { readAll, startHelper } from "./helper.ts";
import { isMissing } from "./host.ts";
import { type Host, running } from "./provider.ts";

/** A command may be killed before it is there: then once more, at this distance. */
const KILL_AGAIN_MS = 10;

export interface Request {
  /** `file`: argv is an operation of files.pl. */
  readonly kind: "exec" | "file";
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: boolean;
}

export type Report =
  | { readonly kind: "exited"; readonly number: number }
  | { readonly kind: "signaled"; readonly number: number }
  /** The helper ended without a word. */
  | { readonly kind: "silent" };

export interface Entry {
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** How the command ended, its output apart. Rejects with a definite `ProviderError` when it never ran. */
  readonly report: Promise<Report>;
  /** Resolves when `report` settled; never rejects. */
  readonly ended: Promise<void>;
  /** Kills the whole tree, unless the command has ended; resolves at its end. */
  kill(): Promise<void>;
  /** After the end: frees all, and removes the cgroup unless children of the command live on in it. */
  close(): void;
}

/** Errors: `not-found`, before anything was started. */
export function enter(host: Host, id: string, request: Request): Entry {
  const { record, init } = running(host, id);
  const cgroup = join(cgroupPath(host.cgroupRoot, record), `exec-${randomBytes(8).toString("hex")}`);
  makeCgroup(cgroup, id);
  const args = [String(init.pid), init.start, cgroup, String(firstUid(record.slot))];
  const child = startHelper("enter.pl", args, [request.input ? "pipe" : "ignore", "pipe", "pipe", "pipe", "pipe"]);
  const [channel, stdout, stderr] = [child.stdio[4], child.stdout, child.stderr];
  if (!(channel instanceof Writable) || stdout === null || stderr === null) throw new Error("a helper has no streams");
  for (const writable of [channel, child.stdin]) writable?.on("error", ignoreEarlyEnd);
  channel.end(encode(request));
  const state = { over: false };
  const end = () => {
    state.over = true;
  };
  const text = readAll(child, 3);
  const ended = text.then(end, end);
  return {
    stdin: child.stdin ?? undefined,
    stdout,
    stderr,
    report: text.then((text) => parse(host, id, text)),
    ended,
    async kill() {
      while (!state.over) {
        kill(cgroup);
        await Promise.race([ended, pause(KILL_AGAIN_MS)]);
      }
    },
    close() {
      for (const stream of child.stdio) stream?.destroy();
      child.unref();
      removeEmpty(cgroup);
    },
  };
}

function makeCgroup(cgroup: string, id: string): void {
  try {
    mkdirSync(cgroup);
  } catch (error) {
    if (isMissing(error)) throw new ProviderError("not-found", `no running sandbox ${id}`);
    throw error;
  }
}

/** The reader may leave before it has read all: that is the command's right, and its exit tells the rest. */
function ignoreEarlyEnd(): void {}

/** Words, each after its length: kind, cwd, input, count of arguments, arguments, environment. */
function encode({ kind, cwd, input, argv, env }: Request): Buffer {
  const words = [kind, cwd, input ? "1" : "", String(argv.length), ...argv, ...Object.entries(env).flat()];
  return Buffer.concat(words.flatMap((word) => frame(Buffer.from(word))));
}

/** A chunk after its length, 4 bytes big-endian. */
export function frame(chunk: Uint8Array): [Uint8Array, Uint8Array] {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(chunk.length);
  return [head, chunk];
}

/** A fault is said first and decides; what the helper says after it is about its own child. */
function parse(host: Host, id: string, text: string): Report {
  const [kind, word = "", number] = text.split("\n")[0]?.split(" ") ?? [];
  if (kind === "fault" && isStage(word)) throw faultError(host, id, word, Number(number));
  if (kind === "exited" || kind === "signaled") return { kind, number: Number(word) };
  return { kind: "silent" };
}
