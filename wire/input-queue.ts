/** Content on its way from the wire into a running call of an adapter. Bounded: nothing here waits for an adapter for ever. */
import type { ProviderError } from "../contract/errors.ts";

export const INPUT = {
  /** Above this the reader of the wire slows down… */
  softBytes: 4 * 1024 * 1024,
  /** …by at most this for each piece, so that no other call is held up for longer. */
  slowMs: 20,
  /** Above this the call fails: its adapter does not read. */
  hardBytes: 16 * 1024 * 1024,
} as const;

export interface InputQueue extends AsyncIterable<Uint8Array> {
  /** False when the queue is fuller than it may ever be; the call has to fail then. */
  push(chunk: Uint8Array): boolean;
  /** The caller's end of input. */
  end(): void;
  /** The call is over: waiting and later reads throw `error`, or end where there is none. */
  stop(error?: ProviderError): void;
  /** Resolves when there is room below the soft bound, or after a moment. */
  room(): Promise<void>;
}

export function inputQueue(): InputQueue {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let state: "open" | "ended" | "stopped" = "open";
  let error: ProviderError | undefined;
  let wakeReader = () => {};
  let wakeWriter = () => {};

  const stop = (why?: ProviderError) => {
    if (state === "stopped") return;
    state = "stopped";
    error = why;
    chunks.length = 0;
    bytes = 0;
    wakeReader();
    wakeWriter();
  };

  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (;;) {
        const chunk = chunks.shift();
        if (chunk !== undefined) {
          bytes -= chunk.length;
          if (bytes < INPUT.softBytes) wakeWriter();
          yield chunk;
        } else if (error !== undefined) throw error;
        else if (state !== "open") return;
        else await new Promise<void>((resolve) => (wakeReader = resolve));
      }
    } finally {
      // A reader that left early wants no more; what still comes is dropped.
      stop();
    }
  }

  return {
    push(chunk) {
      if (state !== "open") return true;
      if (bytes + chunk.length > INPUT.hardBytes) return false;
      chunks.push(chunk);
      bytes += chunk.length;
      wakeReader();
      return true;
    },
    end() {
      if (state === "open") state = "ended";
      wakeReader();
    },
    stop,
    async room() {
      if (bytes < INPUT.softBytes) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, INPUT.slowMs);
        wakeWriter = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    [Symbol.asyncIterator]: read,
  };
}
