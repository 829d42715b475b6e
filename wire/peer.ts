/** The other end of a channel: two streams, and what can be done to whoever holds them. */
import type { Readable, Writable } from "node:stream";

export interface Ending {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  /** Why it never ran. */
  readonly startError?: Error;
}

export interface Peer {
  /** To the adapter. */
  readonly input: Writable;
  /** From the adapter. */
  readonly output: Readable;
  readonly log?: Readable;
  readonly pid: number | undefined;
  /** Resolves once, when the adapter is gone; its last output may still wait to be read. */
  readonly gone: Promise<Ending>;
  /** No effect on one that is gone. */
  signal(name: "SIGTERM" | "SIGKILL"): void;
}

/** Bounds of an adapter's end, in milliseconds. */
export const ENDING = {
  /** After `shutdown` and end of input, before SIGTERM; and again before SIGKILL (contract §5). */
  politeMs: 2_000,
  /** An adapter that closed one of its streams has this long to end before it is killed. */
  brokenMs: 2_000,
  /** After the end, for output that is still in the pipe; a child of the adapter may hold the pipe open for ever. */
  drainMs: 1_000,
} as const;
