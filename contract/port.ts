/**
 * The port: what an adapter written in TypeScript implements. Wire methods, params and results are in `schemas/messages.ts`;
 * an optional member is present only when it works.
 */
import type { Method, Params, Result } from "../schemas/messages.ts";

/** One call in progress. `signal` aborts at cancel and at the deadline; the adapter still answers exactly once. */
export interface Call {
  readonly signal: AbortSignal;
  /** Milliseconds that the harness will wait, from receipt. */
  readonly deadlineMs: number;
}

/** Bytes of a running command. `output` resolves when the harness has room for more. */
export interface ExecStreams {
  output(stream: "stdout" | "stderr", chunk: Uint8Array): Promise<void>;
  /** Present when the command asked for stdin; ends at the caller's end of input. */
  readonly input?: AsyncIterable<Uint8Array>;
  /** Called at each new terminal size, when the command has a tty. */
  onResize?(listener: (size: { rows: number; cols: number }) => void): void;
}

type Operation<M extends Method> = (params: Omit<Params<M>, "deadlineMs">, call: Call) => Promise<Result<M>>;

export interface FilesPort {
  /** Content becomes visible under `path` only when `content` ended; when it throws, the old content stays. */
  write(
    params: Omit<Params<"files.write">, "deadlineMs">,
    content: AsyncIterable<Uint8Array>,
    call: Call,
  ): Promise<Result<"files.write">>;
  read(
    params: Omit<Params<"files.read">, "deadlineMs">,
    output: (chunk: Uint8Array) => Promise<void>,
    call: Call,
  ): Promise<Result<"files.read">>;
  list: Operation<"files.list">;
  stat: Operation<"files.stat">;
  remove: Operation<"files.remove">;
  makeDirectory: Operation<"files.makeDirectory">;
}

export interface Adapter {
  /** Pure: no account, no network, no effect. */
  describe(): Promise<Result<"describe">>;
  check: (call: Call) => Promise<Result<"check">>;
  create: Operation<"create">;
  observe: Operation<"observe">;
  list: Operation<"list">;
  exec(params: Omit<Params<"exec">, "deadlineMs">, streams: ExecStreams, call: Call): Promise<Result<"exec">>;
  destroy: Operation<"destroy">;
  /** Frees what the adapter process holds. Sandboxes live on. */
  close(): Promise<void>;

  files?: FilesPort;
  pause?: { pause: Operation<"pause.pause">; resume: Operation<"pause.resume"> };
  fork?: Operation<"fork">;
  snapshots?: {
    take: Operation<"snapshots.take">;
    restore: Operation<"snapshots.restore">;
    list: Operation<"snapshots.list">;
    remove: Operation<"snapshots.remove">;
  };
  egress?: { set: Operation<"egress.set">; get: Operation<"egress.get"> };
  lifetime?: { extend: Operation<"lifetime.extend"> };
  ports?: { expose: Operation<"ports.expose">; close: Operation<"ports.close"> };
  inventory?: { native: (call: Call) => Promise<Result<"inventory.native">> };
}

/** What the harness gives to an adapter when it opens it. */
export interface AdapterContext {
  /** `--option k=v`, already checked against `describe().options` by the harness. */
  readonly options: Readonly<Record<string, string>>;
  /** Tells the harness of a credential before its first use, so that it is redacted everywhere. */
  secret(value: string | Uint8Array): void;
  /** Log only: stderr. */
  log(message: string): void;
}

/** The default export of an adapter module, as served by `sandproof adapter serve <module>`. */
export type OpenAdapter = (context: AdapterContext) => Adapter | Promise<Adapter>;
