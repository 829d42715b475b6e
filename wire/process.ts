/** An adapter as a process of its own: started without a shell, with exactly the environment that it is given. */
import { PassThrough } from "node:stream";
import { execa } from "execa";
import type { Clock } from "../contract/clock.ts";
import type { Channel, ChannelEvents } from "./channel.ts";
import { openChannel } from "./client.ts";
import type { Ending, Peer } from "./peer.ts";
import { reaped } from "./reaped.ts";

export interface AdapterCommand {
  /** Program and arguments; no shell is involved. */
  readonly argv: readonly string[];
  readonly cwd?: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly events: ChannelEvents;
}

/** Never throws: an adapter that cannot be started is one that died, and `startError` says why. */
export function spawnAdapter({ clock, events, ...command }: AdapterCommand): Channel {
  return openChannel(startOrFail(command), events, clock);
}

function startOrFail(command: Omit<AdapterCommand, "clock" | "events">): Peer {
  try {
    return startProcess(command);
  } catch (error) {
    // Arguments that no program can be given, such as one with a null byte.
    const startError = error instanceof Error ? error : new Error(String(error));
    return {
      input: new PassThrough(),
      output: new PassThrough().end(),
      pid: undefined,
      gone: Promise.resolve({ exitCode: undefined, signal: undefined, startError }),
      signal: () => {},
    };
  }
}

function startProcess({ argv, cwd, env }: Omit<AdapterCommand, "clock" | "events">): Peer {
  const [program = "", ...args] = reaped(argv, env["PATH"] ?? "");
  const child = execa(program, args, {
    env,
    extendEnv: false,
    ...(cwd === undefined ? {} : { cwd }),
    // A session of its own: Ctrl-C in the terminal is for the harness, which then ends the adapter in order.
    detached: true,
    cleanup: false,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    encoding: "buffer",
    buffer: false,
    reject: false,
    forceKillAfterDelay: false,
  });
  const { promise: gone, resolve } = Promise.withResolvers<Ending>();
  // Not execa's own end: it waits for the pipes, which a child of the adapter may keep open.
  child.nodeChildProcess.once("exit", (code, signal) =>
    resolve({ exitCode: code ?? undefined, signal: signal ?? undefined }),
  );
  const startFailed = async () => {
    const { cause, shortMessage } = await child;
    const startError = cause instanceof Error ? cause : new Error(shortMessage ?? `${program} could not be started`);
    if (child.pid === undefined) resolve({ exitCode: undefined, signal: undefined, startError });
  };
  void startFailed();
  return {
    input: child.stdin,
    output: child.stdout,
    log: child.stderr,
    pid: child.pid,
    gone,
    signal(name) {
      // The process alone: its group may hold sandboxes that outlive it. One that never started has pid 0: our own group.
      if (child.pid !== undefined) child.nodeChildProcess.kill(name);
    },
  };
}
