/** What the recorder needs of an adapter, however it is reached: calls with every way they can end. */
import type { ErrorCode } from "../schemas/core.ts";
import type { AdapterFault } from "../schemas/event.ts";
import type { Method, Result } from "../schemas/messages.ts";

export interface ReplyError {
  readonly code: ErrorCode;
  readonly definite: boolean;
  readonly retryable: boolean;
  /** The vendor's words: for the terminal after redaction, never for a judge. */
  readonly message: string;
  /** The refusal that proves an absent capability: −32601, or `unsupported`. */
  readonly refused: boolean;
}

/** How a call ended. Only `ok` and `error` are the adapter's words. */
export type Outcome<M extends Method = Method> =
  | { readonly kind: "ok"; readonly result: Result<M> }
  | { readonly kind: "error"; readonly error: ReplyError }
  | { readonly kind: "deadline" }
  | { readonly kind: "died" }
  | { readonly kind: "malformed"; readonly problem: string };

export interface CallOptions {
  /** Milliseconds the adapter is given; after it the channel sends `cancel` and waits `graceMs` more. */
  readonly deadlineMs: number;
  readonly graceMs: number;
  readonly onOutput?: (stream: "stdout" | "stderr" | "data", chunk: Uint8Array) => void;
  /** The adapter's own id of a running command, before its first output (`reattach`). */
  readonly onExecution?: (execution: string) => void;
  /** Sent as `input`, then its end. One that throws cancels the call; `onInputError` is told why. */
  readonly input?: AsyncIterable<Uint8Array>;
  readonly onInputError?: (error: unknown) => void;
}

export interface Pending<M extends Method = Method> {
  readonly call: number;
  /** Clock reading just before the bytes went to the adapter; ns. Resolves when they were written, or at the end of the call. */
  readonly sent: Promise<number>;
  /** Never rejects. */
  readonly outcome: Promise<Outcome<M>>;
  cancel(): void;
  /** After the deadline: resolves if a reply still comes, never otherwise. */
  readonly late: Promise<Outcome<M>>;
}

export interface ChannelEvents {
  fault(fault: AdapterFault, call: number | undefined): void;
  secret(value: Uint8Array): void;
  /** A chunk of the adapter's stderr, unredacted: a log, kept only as a bounded tail. */
  stderr(chunk: Uint8Array): void;
  /** The adapter is gone; every pending call has ended as `died`. */
  ended(how: {
    readonly expected: boolean;
    readonly exitCode: number | undefined;
    readonly signal: string | undefined;
  }): void;
}

export interface Channel {
  /**
   * Method names outside the table are allowed: the harness asks with invented ones. `deadlineMs` is added to `params`.
   * Throws only where the request does not fit a line of 1 MiB: a mistake of the harness.
   */
  call<M extends Method>(method: M, params: object, options: CallOptions): Pending<M>;
  /** `shutdown`, end of input, then SIGTERM and SIGKILL, each after a bound. Never rejects. */
  close(): Promise<void>;
  /** SIGKILL to the adapter process alone, now. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Undefined when it never started, and after its end. */
  readonly pid: number | undefined;
  /** Why the adapter could not be started; every call then ends as `died`. Known at the latest when `ended` is told. */
  readonly startError: Error | undefined;
}
