/** One stream, many calls: a queue per call, one line of each in turn, so that no big output holds up another call. */
import type { Writable } from "node:stream";

/** Lines that must overtake every call: secrets, before anything that may contain them. */
export const URGENT = 0;

export interface FairWriter {
  /**
   * Queues one line (without newline) behind the earlier lines of `queue`. Resolves true when the stream took it and has
   * room again, false when it never will. `onWrite` runs just before the bytes go.
   */
  write(queue: number, line: Uint8Array, onWrite?: () => void): Promise<boolean>;
  /** Forgets the lines of `queue` that were not written yet. */
  drop(queue: number): void;
  /** Ends the stream when all that is queued was written. Resolves when it is flushed, or broken. */
  end(): Promise<void>;
  /** The stream is of no use any more. */
  close(): void;
}

interface Line {
  readonly bytes: Uint8Array;
  readonly onWrite: (() => void) | undefined;
  readonly done: (written: boolean) => void;
}

const NEWLINE = Uint8Array.of(0x0a);

export function fairWriter(stream: Writable): FairWriter {
  const urgent: Line[] = [];
  // A Map keeps the order of insertion: the first key is the call whose turn it is.
  const queues = new Map<number, Line[]>();
  let inFlight: Line | undefined;
  let state: "open" | "ending" | "ended" | "closed" = "open";
  const flushed = Promise.withResolvers<void>();

  const take = (): Line | undefined => {
    if (inFlight !== undefined) return undefined;
    const first = urgent.shift();
    if (first !== undefined) return first;
    for (const [queue, lines] of queues) {
      const line = lines.shift();
      queues.delete(queue);
      if (lines.length > 0) queues.set(queue, lines);
      return line;
    }
    return undefined;
  };

  const pump = () => {
    // After `close` there is nothing left to take.
    for (let line = take(); line !== undefined; line = take()) {
      line.onWrite?.();
      if (stream.write(Buffer.concat([line.bytes, NEWLINE]))) line.done(true);
      else inFlight = line;
    }
    if (state === "ending" && inFlight === undefined) {
      state = "ended";
      stream.end(close);
    }
  };

  const close = () => {
    if (state === "closed") return;
    state = "closed";
    inFlight?.done(false);
    inFlight = undefined;
    for (const lines of [urgent, ...queues.values()]) for (const line of lines.splice(0)) line.done(false);
    queues.clear();
    flushed.resolve();
  };

  stream.on("drain", () => {
    inFlight?.done(true);
    inFlight = undefined;
    pump();
  });
  // An error comes with `close` right after; whoever owns the stream reports it.
  stream.on("error", close);
  stream.on("close", close);

  return {
    write(queue, bytes, onWrite) {
      if (state !== "open") return Promise.resolve(false);
      return new Promise((done) => {
        const line = { bytes, onWrite, done };
        if (queue === URGENT) urgent.push(line);
        else {
          const lines = queues.get(queue);
          if (lines === undefined) queues.set(queue, [line]);
          else lines.push(line);
        }
        pump();
      });
    },
    drop(queue) {
      for (const line of queues.get(queue) ?? []) line.done(false);
      queues.delete(queue);
    },
    end() {
      if (state === "open") {
        state = "ending";
        pump();
      }
      return flushed.promise;
    },
    close,
  };
}
