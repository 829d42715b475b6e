/** Lines of the wire: one JSON message each, UTF-8, at most {@link MAX_LINE_BYTES} before the newline. */

export const MAX_LINE_BYTES = 1024 * 1024;
/** Most bytes of content in one `input` or `output` notification. */
export const MAX_DATA_BYTES = 64 * 1024;

const NEWLINE = 0x0a;
const FIRST_ROOM = 4096;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** The stream ended: what is left without a newline is told as a line. */
  end(): void;
}

/**
 * Cuts bytes into lines. Holds at most one line; the rest of a line that is too long is dropped as it comes.
 * A line given to `onLine` is not changed later.
 */
export function splitLines(onLine: (line: Uint8Array) => void, onTooLong: () => void): LineSplitter {
  let held = new Uint8Array();
  let size = 0;
  let dropping = false;

  const hold = (part: Uint8Array) => {
    if (dropping) return;
    if (size + part.length > MAX_LINE_BYTES) {
      forget();
      dropping = true;
      return onTooLong();
    }
    if (size + part.length > held.length) {
      // Doubling keeps an adapter that writes byte by byte from costing one object a byte.
      const room = Math.max(FIRST_ROOM, 2 * held.length, size + part.length);
      const larger = new Uint8Array(Math.min(MAX_LINE_BYTES, room));
      larger.set(held.subarray(0, size));
      held = larger;
    }
    held.set(part, size);
    size += part.length;
  };
  const forget = () => {
    held = new Uint8Array();
    size = 0;
  };
  const finish = (rest: Uint8Array) => {
    if (size === 0 && !dropping && rest.length <= MAX_LINE_BYTES) return onLine(rest);
    hold(rest);
    const line = held.subarray(0, size);
    const whole = !dropping;
    forget();
    dropping = false;
    if (whole) onLine(line);
  };

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        finish(chunk.subarray(from, at));
        from = at + 1;
      }
      if (from < chunk.length) hold(chunk.subarray(from));
    },
    end() {
      if (size > 0) finish(new Uint8Array());
    },
  };
}

/** The JSON value of a line, or undefined where it is not strict UTF-8 or not JSON. */
export function parseLine(line: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(utf8.decode(line)) };
  } catch {
    return undefined;
  }
}

/** One message as bytes, without its newline. Throws what `JSON.stringify` throws. */
export const encodeMessage = (message: object): Uint8Array =>
  Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));

export const encodeData = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");

/** Strict base64 (`Buffer.from` alone skips what it does not know), or undefined. */
export function decodeData(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}

/** The pieces of `bytes` that fit one notification each. */
export function* dataPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += MAX_DATA_BYTES) yield bytes.subarray(from, from + MAX_DATA_BYTES);
}
