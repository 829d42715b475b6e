/** One call in progress at the adapter's end: its signal, its bytes in and out. */
import { ProviderError } from "../contract/errors.ts";
import type { Call, ExecStreams } from "../contract/port.ts";
import type { HarnessNotice } from "../schemas/wire.ts";
import { dataPieces, decodeData, encodeData } from "./framing.ts";
import { INPUT, inputQueue } from "./input-queue.ts";

const MAX_TIMER_MS = 2 ** 31 - 1;

type Stream = "stdout" | "stderr" | "data";
type Size = { readonly rows: number; readonly cols: number };

export interface ServedCall {
  readonly call: Call;
  readonly streams: ExecStreams;
  readonly content: AsyncIterable<Uint8Array>;
  /** Resolves when the harness has room for more. Chunks go out in the order of the calls, awaited or not. */
  output(stream: Stream, chunk: Uint8Array): Promise<void>;
  /** Resolves at once, or a moment later when the adapter is slower than its input. */
  notice(notice: HarnessNotice): Promise<void>;
  abort(reason: ProviderError): void;
  /** Resolves when all output went out. Rejects with the reason when the call broke the protocol, whatever it returned. */
  settled(): Promise<void>;
  /** What a failed call is answered with. */
  errorOf(thrown: unknown): ProviderError;
  end(): void;
}

export interface ServedCallOptions {
  /** Milliseconds from now; undefined where the request has none. */
  readonly deadlineMs: number | undefined;
  readonly takesInput: boolean;
  /** Resolves when the line went out, false when it never will. */
  readonly send: (stream: Stream, data: string) => Promise<boolean>;
  readonly log: (message: string) => void;
}

export function serveCall({ deadlineMs = MAX_TIMER_MS, takesInput, send, log }: ServedCallOptions): ServedCall {
  const aborter = new AbortController();
  const input = inputQueue();
  if (!takesInput) input.stop();
  let broken: ProviderError | undefined;
  let over = false;
  let sending = Promise.resolve();
  let size: Size | undefined;
  const onSize: ((size: Size) => void)[] = [];

  const abort = (reason: ProviderError) => {
    aborter.abort(reason);
    input.stop(reason);
  };
  const timer = setTimeout(
    () => abort(new ProviderError("deadline-exceeded", "the deadline of the call")),
    Math.min(deadlineMs, MAX_TIMER_MS),
  );

  const sendBehind = async (earlier: Promise<void>, stream: Stream, chunk: Uint8Array) => {
    await earlier;
    for (const piece of dataPieces(chunk)) {
      if (over) return log(`${chunk.length} bytes of ${stream} came after the reply and were dropped`);
      if (!(await send(stream, encodeData(piece)))) throw new ProviderError("connection-lost", "the harness is gone");
    }
  };
  const output = (stream: Stream, chunk: Uint8Array): Promise<void> => {
    const sent = sendBehind(sending, stream, chunk);
    // A failure belongs to the one who called `output`; later chunks only wait for it.
    sending = sent.catch(() => {});
    return sent;
  };

  const notice = async ({ method, params }: HarnessNotice): Promise<void> => {
    switch (method) {
      case "cancel":
        return abort(new ProviderError("cancelled", "cancelled by the harness"));
      case "resize":
        size = { rows: params.rows, cols: params.cols };
        for (const listener of onSize) listener(size);
        return;
      case "input": {
        if ("end" in params) return input.end();
        const chunk = decodeData(params.data);
        const problem =
          chunk === undefined ? "input is not base64" : `more than ${INPUT.hardBytes} bytes of input wait`;
        if (chunk !== undefined && input.push(chunk)) return input.room();
        broken = new ProviderError("protocol", problem);
        return abort(broken);
      }
    }
  };

  return {
    call: { signal: aborter.signal, deadlineMs },
    streams: {
      output,
      ...(takesInput ? { input } : {}),
      onResize(listener) {
        onSize.push(listener);
        if (size !== undefined) listener(size);
      },
    },
    content: input,
    output,
    notice,
    abort,
    async settled() {
      await sending;
      if (broken !== undefined) throw broken;
    },
    errorOf(thrown) {
      if (broken !== undefined) return broken;
      const reason: unknown = aborter.signal.reason;
      const isAbort = thrown instanceof Error && thrown.name === "AbortError";
      return ProviderError.from(isAbort && reason instanceof ProviderError ? reason : thrown);
    },
    end() {
      over = true;
      clearTimeout(timer);
      input.stop();
    },
  };
}
