/** The adapter's end of the wire: puts an adapter written in TypeScript behind lines of JSON. */
import type { Readable, Writable } from "node:stream";
import { ProviderError } from "../contract/errors.ts";
import type { OpenAdapter } from "../contract/port.ts";
import { METHODS, type Method } from "../schemas/messages.ts";
import { check } from "../schemas/validate.ts";
import { HarnessNotice, Request } from "../schemas/wire.ts";
import { encodeData, encodeMessage, MAX_LINE_BYTES, parseLine, splitLines } from "./framing.ts";
import { openOnce } from "./opened.ts";
import { operation, takesInput } from "./operations.ts";
import { type ServedCall, serveCall } from "./served-call.ts";
import { fairWriter, URGENT } from "./writer.ts";

export interface ServeOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** Log only: stderr, or the harness's own where the adapter runs in its process. */
  readonly log: (message: string) => void;
  /** For mutants: what goes out instead of a line (both without newline). */
  readonly tamper?: (line: Uint8Array) => readonly Uint8Array[];
}

/** Bounds of the end, in milliseconds: together below the 2 s of contract §5. */
const CLOSING = { callsMs: 700, adapterMs: 700, flushMs: 400 } as const;

/** Characters of a vendor's message that are passed on; more would not help anybody and may not fit a line. */
const MAX_MESSAGE = 16 * 1024;

/** JSON-RPC's codes; the contract's own code is in `data`. */
const RPC = { parse: -32700, request: -32600, method: -32601, params: -32602, provider: -32000 } as const;

/** Serves until end of input or `shutdown`. Resolves when the adapter is closed and the output flushed; never rejects. */
export async function serve(open: OpenAdapter, options: ServeOptions): Promise<void> {
  const { input, output, log, tamper = (line: Uint8Array) => [line] } = options;
  const writer = fairWriter(output);
  const calls = new Map<number, ServedCall>();
  const running = new Set<Promise<void>>();
  let shutdown: number | undefined;

  const send = async (queue: number, message: object | Uint8Array): Promise<boolean> => {
    const line = message instanceof Uint8Array ? message : encodeMessage(message);
    const written = await Promise.all(tamper(line).map((each) => writer.write(queue, each)));
    return written.every(Boolean);
  };
  const refuse = (id: number | null, code: number, error: ProviderError) =>
    send(id ?? URGENT, { id, error: wireError(code, error) });

  const adapter = openOnce(open, {
    log,
    secret(value) {
      const bytes = typeof value === "string" ? Buffer.from(value) : value;
      void send(URGENT, { method: "secret", params: { value: encodeData(bytes) } });
    },
  });

  const answer = async ({ id, method, params }: Request, call: ServedCall): Promise<unknown> => {
    if (!Object.hasOwn(METHODS, method)) return refuse(id, RPC.method, unsupported("no such method"));
    const checked = check(METHODS[method as Method].params, params);
    const invalid = checked.ok ? undefined : new ProviderError("invalid-argument", checked.problem);
    const describes = method === "describe";
    if (describes && invalid !== undefined) return refuse(id, RPC.params, invalid);
    const { deadlineMs: _, ...rest } = params;
    const given = describes ? (params["options"] as Readonly<Record<string, string>>) : undefined;
    const run = operation(await adapter.open(given), method);
    if (run === undefined) return refuse(id, RPC.method, unsupported(`${method} is not declared`));
    if (invalid !== undefined) return refuse(id, RPC.params, invalid);
    const result = await run(rest, call);
    await call.settled();
    const line = encodeMessage({ id, result: result ?? null });
    if (line.length > MAX_LINE_BYTES) throw new ProviderError("protocol", `a result of ${line.length} bytes`);
    return send(id, line);
  };

  const serveRequest = async (request: Request) => {
    const { id, method, params } = request;
    const call = serveCall({
      deadlineMs: typeof params["deadlineMs"] === "number" ? params["deadlineMs"] : undefined,
      takesInput: takesInput(method, params),
      send: (stream, data) => send(id, { method: "output", params: { call: id, stream, data } }),
      log,
    });
    calls.set(id, call);
    try {
      await answer(request, call);
    } catch (thrown) {
      const error = call.errorOf(thrown);
      if (error.code === "internal") log(`call ${id}, ${method}: ${inFull(thrown)}`);
      await refuse(id, RPC.provider, error);
    } finally {
      calls.delete(id);
      call.end();
    }
  };

  const onLine = async (line: Uint8Array): Promise<unknown> => {
    const message = parseLine(line);
    if (message === undefined) return refuse(null, RPC.parse, protocol("not a line of JSON"));
    const notice = check(HarnessNotice, message.value);
    // A notice for a call that has just been answered crossed the reply on its way.
    if (notice.ok) return calls.get(notice.value.params.call)?.notice(notice.value);
    const request = check(Request, message.value);
    if (!request.ok) return refuse(idOf(message.value), RPC.request, protocol(request.problem));
    const { id, method } = request.value;
    if (calls.has(id)) return log(`call ${id} is in progress; a second request with its id is ignored`);
    if (method === "shutdown") return (shutdown = id);
    const done = serveRequest(request.value).finally(() => running.delete(done));
    running.add(done);
    return undefined;
  };

  output.once("close", () => input.destroy());
  for await (const line of readLines(input, log)) {
    await onLine(line);
    if (shutdown !== undefined) break;
  }

  for (const call of calls.values()) call.abort(new ProviderError("cancelled", "the harness ends the adapter"));
  await within(CLOSING.callsMs, Promise.all(running));
  await within(
    CLOSING.adapterMs,
    adapter.close().catch((thrown: unknown) => log(`close: ${inFull(thrown)}`)),
  );
  if (shutdown !== undefined) void send(shutdown, { id: shutdown, result: {} });
  await within(CLOSING.flushMs, writer.end());
}

/** Lines until the end of the stream; a stream that breaks ends too. */
async function* readLines(input: Readable, log: (message: string) => void): AsyncGenerator<Uint8Array> {
  let lines: Uint8Array[] = [];
  const splitter = splitLines(
    (line) => lines.push(line),
    () => log(`a line of more than ${MAX_LINE_BYTES} bytes was dropped`),
  );
  try {
    for await (const chunk of input) {
      splitter.push(chunk as Uint8Array);
      const ready = lines;
      lines = [];
      yield* ready;
    }
  } catch (error) {
    log(`input: ${String(error)}`);
  }
}

const unsupported = (message: string) => new ProviderError("unsupported", message);
const protocol = (message: string) => new ProviderError("protocol", message);

const wireError = (code: number, error: ProviderError) => ({
  code,
  message: error.vendorMessage.slice(0, MAX_MESSAGE),
  data: { code: error.code, definite: error.definite, retryable: error.retryable },
});

function idOf(message: unknown): number | null {
  const checked = check(Request.properties.id, (message as { id?: unknown } | null)?.id);
  return checked.ok ? checked.value : null;
}

const inFull = (thrown: unknown): string => (thrown instanceof Error && thrown.stack) || String(thrown);

/** Resolves with `work`, or after `ms` without it. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
