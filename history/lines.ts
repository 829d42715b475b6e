/** Lines of a file or stream, bounded in length, a batch a chunk. */
import { createReadStream } from "node:fs";

/** No line that we write comes near it; a longer one is hostile or damaged. */
export const MAX_LINE_BYTES = 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 0x0a;

/** A path, or the bytes themselves in pieces (from an archive, say). */
export type Source = string | AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** `torn`: bytes after the last newline, as a killed writer leaves them. */
export type Line =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  | { readonly kind: "too-long" }
  | { readonly kind: "torn" };

/** @throws what the file system throws; the lines themselves are never an error here. */
export async function* readLines(source: Source, maxBytes = MAX_LINE_BYTES): AsyncGenerator<readonly Line[]> {
  const splitter = new Splitter(maxBytes);
  const chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array> =
    typeof source === "string" ? createReadStream(source, { highWaterMark: CHUNK_BYTES }) : source;
  for await (const chunk of chunks) yield splitter.split(chunk);
  yield splitter.rest();
}

class Splitter {
  readonly #maxBytes: number;
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  split(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#hold(chunk.subarray(start, end));
      lines.push(this.#take());
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
    return lines;
  }

  rest(): Line[] {
    return this.#heldBytes === 0 ? [] : [{ kind: "torn" }];
  }

  #hold(piece: Uint8Array): void {
    if (piece.byteLength === 0) return;
    this.#heldBytes += piece.byteLength;
    // Counted, but not kept: memory stays bounded however long the line is.
    if (this.#heldBytes <= this.#maxBytes) this.#held.push(piece);
    else this.#held = [];
  }

  #take(): Line {
    const [only, ...more] = this.#held;
    const tooLong = this.#heldBytes > this.#maxBytes;
    this.#held = [];
    this.#heldBytes = 0;
    if (tooLong) return { kind: "too-long" };
    if (only === undefined) return { kind: "whole", bytes: new Uint8Array() };
    return { kind: "whole", bytes: more.length === 0 ? only : Buffer.concat([only, ...more]) };
  }
}
