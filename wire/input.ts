/** Content that goes from the harness to a running call, piece by piece, as fast as the pipe takes it. */
import { dataPieces, encodeData } from "./framing.ts";

type InputParams = { readonly data: string } | { readonly end: true };

/**
 * Sends all of `source` and its end; stops early when `over` aborts or `send` answers false.
 * Rejects with what `source` throws.
 */
export async function sendInput(
  source: AsyncIterable<Uint8Array>,
  send: (params: InputParams) => Promise<boolean>,
  over: AbortSignal,
): Promise<void> {
  const stopped = new Promise<"stopped">((resolve) => {
    if (over.aborted) resolve("stopped");
    over.addEventListener("abort", () => resolve("stopped"), { once: true });
  });
  const iterator = source[Symbol.asyncIterator]();
  const pieces = async (chunk: Uint8Array) => {
    for (const piece of dataPieces(chunk)) {
      if (over.aborted || !(await send({ data: encodeData(piece) }))) return false;
    }
    return true;
  };
  for (;;) {
    const next = await Promise.race([iterator.next(), stopped]);
    if (next === "stopped") break;
    if (next.done === true) {
      await send({ end: true });
      return;
    }
    if (!(await pieces(next.value))) break;
  }
  // A source that hangs would hang its own end too: the call is over, so wait no longer than it is.
  await Promise.race([iterator.return?.(), stopped]);
}
