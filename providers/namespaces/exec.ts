/** Runs a command in a sandbox: streams, input, time-out, cancel. */
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { ProviderError } from "../../contract/errors.ts";
import type { Call, ExecStreams } from "../../contract/port.ts";
import type { Exit } from "../../schemas/core.ts";
import type { Command } from "../../schemas/messages.ts";
import { type Entry, enter, type Report } from "./entry.ts";
import { feed } from "./feed.ts";
import { GUEST } from "./guest.ts";
import type { Host } from "./provider.ts";
import { refuseUnknown, validEnv, validText } from "./validate.ts";

const COMMAND_MEMBERS = ["argv", "script", "cwd", "env", "timeoutMs", "stdin"] as const;
const NOT_DECLARED = ["tty", "user"] as const;

/** Errors: `invalid-argument`, `unsupported`, `not-found`, `permission-denied` (nothing ran), `cancelled`, `internal`. */
export async function exec(host: Host, id: string, command: Command, streams: ExecStreams, call: Call): Promise<Exit> {
  refuseUnknown("command", command, COMMAND_MEMBERS, NOT_DECLARED);
  const argv = "argv" in command ? command.argv : [GUEST.shell, "-c", command.script];
  const [file] = argv;
  if (file === undefined || file === "") throw new ProviderError("invalid-argument", "command.argv names no program");
  const own = validEnv("command.env", command.env ?? {});
  const entry = enter(host, id, {
    kind: "exec",
    cwd: folder(command.cwd),
    argv: argv.map((word) => validText("command.argv", word)),
    env: { ...GUEST.env, ...host.records.read(id)?.env, ...own },
    input: command.stdin === true,
  });
  return runToEnd(entry, command.timeoutMs, streams, call.signal);
}

/** A timer of Node; longer ones fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A relative folder is meant from the working folder. */
function folder(cwd: string = GUEST.workdir): string {
  validText("command.cwd", cwd);
  return cwd.startsWith("/") ? cwd : `${GUEST.workdir}/${cwd}`;
}

type Stop = "timed-out" | "cancelled";

async function runToEnd(
  entry: Entry,
  timeoutMs: number | undefined,
  streams: ExecStreams,
  signal: AbortSignal,
): Promise<Exit> {
  let stopped: Stop | undefined;
  const stop = (why: Stop) => {
    stopped ??= why;
    void entry.kill();
  };
  const cancel = () => stop("cancelled");
  const wait = Math.min(timeoutMs ?? 0, LONGEST_TIMER_MS);
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop("timed-out"), wait);
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel, { once: true });
  try {
    const input = entry.stdin === undefined ? undefined : feed(entry.stdin, streams.input, entry.ended);
    const outputs = [forward(entry.stdout, "stdout", streams), forward(entry.stderr, "stderr", streams)];
    const [report] = await Promise.all([entry.report, input, ...outputs]);
    return exitOf(report, stopped);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    await entry.kill();
    entry.close();
  }
}

async function forward(from: Readable, stream: "stdout" | "stderr", streams: ExecStreams): Promise<void> {
  for await (const chunk of from) await streams.output(stream, chunk as Uint8Array);
}

const signalName = (number: number): string =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `SIG${number}`;

function exitOf(report: Report, stopped: Stop | undefined): Exit {
  if (report.kind === "exited") return { kind: "exited", code: report.number };
  if (stopped === "cancelled") throw new ProviderError("cancelled", "the command was stopped");
  if (report.kind === "silent") return { kind: "unknown", reason: "the helper ended without a report" };
  return stopped === "timed-out" ? { kind: "timed-out" } : { kind: "signaled", signal: signalName(report.number) };
}
