/** Files of a sandbox: operations of files.pl, run inside as the exec user. Memory stays flat whatever the size. */
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { ProviderError } from "../../contract/errors.ts";
import type { Call, FilesPort } from "../../contract/port.ts";
import type { ErrorCode } from "../../schemas/core.ts";
import type { FileEntry, FileStat } from "../../schemas/messages.ts";
import { enter, frame, type Report } from "./entry.ts";
import { feed } from "./feed.ts";
import { GUEST } from "./guest.ts";
import type { Host } from "./provider.ts";
import { validText } from "./validate.ts";

type Target = { readonly id: string; readonly path: string };

/** Exit statuses of files.pl beside errno. */
const NOT_A_FILE = 200;
const NOT_COMMITTED = 201;
const CUT_SHORT = 202;

/** How long a cancelled write may take to remove what it began. */
const END_OF_WRITE_MS = 1_000;

export function filesPort(host: () => Host): FilesPort {
  return {
    async write({ id, path, mode }, content, call) {
      let bytes = 0;
      let broken: { readonly error: unknown } | undefined;
      // The frame of length 0 commits: content that breaks, or a call that is cancelled, never gets there.
      async function* frames(): AsyncGenerator<Uint8Array> {
        try {
          for await (const chunk of content) {
            if (call.signal.aborted) return;
            if (chunk.length === 0) continue;
            bytes += chunk.length;
            yield* frame(chunk);
          }
        } catch (error) {
          broken = { error };
          return;
        }
        if (!call.signal.aborted) yield* [Buffer.alloc(4)];
      }
      const words = ["write", path, mode === undefined ? "" : String(mode)];
      const report = await operate(host(), { id, path }, words, call, { input: frames() });
      if (broken !== undefined) throw broken.error;
      settle(report, path, call);
      return { bytes };
    },
    async read({ id, path }, output, call) {
      let bytes = 0;
      const count = async (chunk: Uint8Array) => {
        bytes += chunk.length;
        await output(chunk);
      };
      settle(await operate(host(), { id, path }, ["read", path], call, { output: count }), path, call);
      return { bytes };
    },
    async stat({ id, path }, call) {
      const [entry] = await entries(host(), { id, path }, ["stat", path], call);
      if (entry === undefined) throw new ProviderError("internal", "no answer from inside");
      const { name: _, ...stat } = entry;
      return stat satisfies FileStat;
    },
    async list({ id, path, recursive }, call) {
      return {
        entries: await entries(host(), { id, path }, ["list", path, recursive ? "1" : ""], call),
        complete: true,
      };
    },
    async remove({ id, path, recursive }, call) {
      settle(await operate(host(), { id, path }, ["remove", path, recursive ? "1" : ""], call), path, call);
      return {};
    },
    async makeDirectory({ id, path, recursive }, call) {
      settle(await operate(host(), { id, path }, ["make-directory", path, recursive ? "1" : ""], call), path, call);
      return {};
    },
  };
}

interface Content {
  readonly input?: AsyncIterable<Uint8Array>;
  readonly output?: (chunk: Uint8Array) => Promise<void>;
}

async function operate(host: Host, target: Target, argv: string[], call: Call, content: Content = {}): Promise<Report> {
  validText("path", target.path);
  const input = content.input;
  const entry = enter(host, target.id, {
    kind: "file",
    cwd: target.path.startsWith("/") ? "/" : GUEST.workdir,
    argv,
    env: {},
    input: input !== undefined,
  });
  // A write that is cancelled ends its input, and so removes what it began; it is killed only if it does not.
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => {
    entry.stdin?.end();
    timer = setTimeout(() => void entry.kill(), entry.stdin === undefined ? 0 : END_OF_WRITE_MS);
  };
  if (call.signal.aborted) cancel();
  call.signal.addEventListener("abort", cancel, { once: true });
  try {
    const fed = entry.stdin === undefined ? undefined : feed(entry.stdin, input, entry.ended);
    const outputs = [consume(entry.stdout, content.output), consume(entry.stderr)];
    const [report] = await Promise.all([entry.report, fed, ...outputs]);
    return report;
  } finally {
    clearTimeout(timer);
    call.signal.removeEventListener("abort", cancel);
    await entry.kill();
    entry.close();
  }
}

async function consume(from: Readable, output?: (chunk: Uint8Array) => Promise<void>): Promise<void> {
  for await (const chunk of from) await output?.(chunk as Uint8Array);
}

async function entries(host: Host, target: Target, argv: string[], call: Call): Promise<FileEntry[]> {
  const chunks: Uint8Array[] = [];
  const keep = (chunk: Uint8Array) => Promise.resolve(void chunks.push(chunk));
  settle(await operate(host, target, argv, call, { output: keep }), target.path, call);
  return parseEntries(Buffer.concat(chunks));
}

/** Words after their lengths: name, kind, size, mode of each entry. */
function parseEntries(bytes: Buffer): FileEntry[] {
  const found: FileEntry[] = [];
  let at = 0;
  const word = (): string => {
    const start = at + 4;
    at = start + bytes.readUInt32BE(at);
    return bytes.toString("utf8", start, at);
  };
  while (at < bytes.length) {
    const [name, kind, size, mode] = [word(), word() as FileEntry["kind"], Number(word()), Number(word())];
    found.push({ name, kind, size, mode });
  }
  return found;
}

const CODES: ReadonlyMap<number, ErrorCode> = new Map([
  [constants.errno.ENOENT, "not-found"],
  [constants.errno.EACCES, "permission-denied"],
  [constants.errno.EPERM, "permission-denied"],
  [constants.errno.EROFS, "permission-denied"],
  [constants.errno.EEXIST, "already-exists"],
  [constants.errno.ENOTEMPTY, "conflict"],
  [constants.errno.ENOSPC, "quota-exceeded"],
  [constants.errno.EISDIR, "invalid-argument"],
  [constants.errno.ENOTDIR, "invalid-argument"],
  [constants.errno.ELOOP, "invalid-argument"],
  [constants.errno.ENAMETOOLONG, "invalid-argument"],
  [constants.errno.EINVAL, "invalid-argument"],
  [NOT_A_FILE, "invalid-argument"],
]);

const words = (number: number): string =>
  number === NOT_A_FILE
    ? "not a regular file"
    : (Object.entries(constants.errno).find(([, value]) => value === number)?.[0] ?? `error ${number}`);

/** Throws unless the operation succeeded. */
function settle(report: Report, path: string, call: Call): void {
  if (report.kind === "exited" && report.number === 0) return;
  if (call.signal.aborted) throw new ProviderError("cancelled", "the operation was stopped");
  if (report.kind !== "exited") throw new ProviderError("internal", `the operation ended by ${report.kind}`);
  if (report.number === NOT_COMMITTED) throw new ProviderError("internal", "the content did not arrive whole");
  if (report.number === CUT_SHORT) throw new ProviderError("conflict", "the file shrank while it was read");
  throw new ProviderError(CODES.get(report.number) ?? "internal", `${path}: ${words(report.number)}`);
}
