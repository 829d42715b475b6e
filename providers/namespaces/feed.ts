/** Gives a caller's bytes to a command, with backpressure, until either of them ends. */
import type { Writable } from "node:stream";

/** `ended` never rejects. Rejects when `input` does. */
export async function feed(
  to: Writable,
  input: AsyncIterable<Uint8Array> | undefined,
  ended: Promise<void>,
): Promise<void> {
  const chunks = input?.[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([chunks?.next(), ended]);
      if (next === undefined || next.done === true || !to.writable) break;
      if (!to.write(next.value)) await Promise.race([drained(to), ended]);
    }
  } finally {
    to.end();
    // The caller may be waiting for bytes that never come: its end is not ours to wait for, nor its faults ours to tell.
    chunks?.return?.().catch(() => undefined);
  }
}

const drained = (to: Writable): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      to.off("drain", done).off("close", done);
      resolve();
    };
    to.on("drain", done).on("close", done);
  });
