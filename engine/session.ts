import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Channel, ChannelEvents } from "../wire/channel.ts";

/** Folders that every adapter process of a run is given; they lie in the run's private state and vanish with it. */
export interface AdapterFolders {
  readonly state: string;
  readonly cache: string;
  readonly config: string;
  /** Parent of a fresh `TMPDIR` and `XDG_RUNTIME_DIR` for each process. */
  readonly scratch: string;
}

export const adapterFolders = (runFolder: string): AdapterFolders => ({
  state: join(runFolder, "adapter", "state"),
  cache: join(runFolder, "adapter", "cache"),
  config: join(runFolder, "adapter", "config"),
  scratch: join(runFolder, "adapter", "scratch"),
});

/** Environment of adapter process number `incarnation`: nothing of the harness's own but its `PATH` and what was passed by name. */
export function adapterEnvironment(options: {
  readonly runId: string;
  readonly folders: AdapterFolders;
  readonly incarnation: number;
  readonly passed: Readonly<Record<string, string>>;
}): Record<string, string> {
  const { folders } = options;
  const temporary = join(folders.scratch, `tmp-${options.incarnation}`);
  const runtime = join(folders.scratch, `run-${options.incarnation}`);
  for (const folder of [folders.state, folders.cache, folders.config, temporary, runtime]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  return {
    ...options.passed,
    PATH: process.env["PATH"] ?? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    LANG: "C.UTF-8",
    SANDPROOF_RUN: options.runId,
    TMPDIR: temporary,
    XDG_RUNTIME_DIR: runtime,
    XDG_STATE_HOME: folders.state,
    XDG_CACHE_HOME: folders.cache,
    XDG_CONFIG_HOME: folders.config,
  };
}

export type OpenChannel = (incarnation: number, events: ChannelEvents) => Channel;

export interface SessionEvents extends Omit<ChannelEvents, "ended"> {
  started(incarnation: number, pid: number | undefined): void;
  /** The last moment at which its descendants can be told from strangers. */
  ending(): void;
  ended(incarnation: number, expected: boolean): void;
}

/** The adapter as the run sees it: one process at a time, started when it is needed, replaced when it died or was killed. */
export class AdapterSession {
  readonly #open: OpenChannel;
  readonly #events: SessionEvents;
  #current: Channel | undefined;
  #incarnations = 0;

  constructor(open: OpenChannel, events: SessionEvents) {
    this.#open = open;
    this.#events = events;
  }

  get incarnation(): number {
    return this.#incarnations;
  }

  /** The live channel; `fresh` when it was started by this call, so that the caller makes itself known to it. */
  channel(): { readonly channel: Channel; readonly fresh: boolean } {
    if (this.#current !== undefined) return { channel: this.#current, fresh: false };
    const incarnation = ++this.#incarnations;
    const channel = this.#open(incarnation, {
      fault: (fault, call) => this.#events.fault(fault, call),
      secret: (value) => this.#events.secret(value),
      stderr: (chunk) => this.#events.stderr(chunk),
      ended: ({ expected }) => {
        if (this.#current === channel) this.#current = undefined;
        this.#events.ended(incarnation, expected);
      },
    });
    this.#current = channel;
    this.#events.started(incarnation, channel.pid);
    return { channel, fresh: true };
  }

  /** SIGKILL; the next call starts a new process. */
  async kill(): Promise<void> {
    const channel = this.#current;
    this.#current = undefined;
    this.#events.ending();
    await channel?.kill();
  }

  async close(): Promise<void> {
    const channel = this.#current;
    this.#current = undefined;
    this.#events.ending();
    await channel?.close();
  }
}

/** Of an adapter process that has ended, and whose leavings are nobody's concern. */
export function removeScratch(env: Readonly<Record<string, string>>): void {
  for (const name of ["TMPDIR", "XDG_RUNTIME_DIR"]) {
    const folder = env[name];
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
