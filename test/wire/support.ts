/** What the tests of the wire share: an observer of a channel, and real adapter processes. */
import { fileURLToPath } from "node:url";
import { startClock } from "../../contract/clock.ts";
import type { AdapterFault } from "../../schemas/event.ts";
import type { CallOptions, Channel, ChannelEvents } from "../../wire/channel.ts";
import { spawnAdapter } from "../../wire/process.ts";

export const clock = startClock();

export interface Observed extends ChannelEvents {
  readonly faults: { readonly fault: AdapterFault; readonly call: number | undefined }[];
  readonly secrets: string[];
  readonly endings: Parameters<ChannelEvents["ended"]>[0][];
  stderrText(): string;
  readonly whenEnded: Promise<void>;
}

export function observe(): Observed {
  const faults: Observed["faults"] = [];
  const secrets: string[] = [];
  const endings: Observed["endings"] = [];
  const log: Uint8Array[] = [];
  const { promise: whenEnded, resolve } = Promise.withResolvers<void>();
  return {
    faults,
    secrets,
    endings,
    whenEnded,
    stderrText: () => Buffer.concat(log).toString(),
    fault: (fault, call) => faults.push({ fault, call }),
    secret: (value) => secrets.push(Buffer.from(value).toString()),
    stderr: (chunk) => log.push(chunk),
    ended(how) {
      endings.push(how);
      resolve();
    },
  };
}

/** Longer than anything here takes: reaching it is a failure. */
export const PATIENT: CallOptions = { deadlineMs: 30_000, graceMs: 1_000 };

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
export const TOY = file("adapters/toy.ts");
const SERVE = file("../../wire/serve-main.ts");
const HOSTILE = file("adapters/hostile.ts");

export interface Started {
  readonly channel: Channel;
  readonly seen: Observed;
}

export function start(argv: readonly string[], env: Record<string, string> = {}): Started {
  const seen = observe();
  return { seen, channel: spawnAdapter({ argv, env, clock, events: seen }) };
}

export const serveArgv = (module: string): readonly string[] => [process.execPath, SERVE, module];
export const startToy = (env?: Record<string, string>): Started => start(serveArgv(TOY), env);
export const startHostile = (how: string): Started => start([process.execPath, HOSTILE, how]);

export const asText = (chunks: readonly Uint8Array[]): string => Buffer.concat(chunks).toString();

/** Runs a command of the toy and gives its outcome with what it printed. */
export async function run(channel: Channel, argv: readonly string[], options: Partial<CallOptions> = {}) {
  const stdout: Uint8Array[] = [];
  const command = { argv, ...(options.input === undefined ? {} : { stdin: true }) };
  const onOutput: CallOptions["onOutput"] = (stream, chunk) => void (stream === "stdout" && stdout.push(chunk));
  const pending = channel.call("exec", { id: "s1", command }, { ...PATIENT, onOutput, ...options });
  return { outcome: await pending.outcome, stdout: asText(stdout) };
}
