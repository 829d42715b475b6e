/** Gzip (RFC 1952) read leniently: a stream may be cut, followed by something else, or bear a wrong checksum. */
import { constants, inflateRawSync } from "node:zlib";

/** Magic number and the only method that there is. */
export const MAGIC = Buffer.from([0x1f, 0x8b, 0x08]);

const HEADER_BYTES = 10;
const HAS_CHECKSUM = 0x02;
const HAS_EXTRA = 0x04;
const HAS_NAME = 0x08;
const HAS_COMMENT = 0x10;
const RESERVED = 0xe0;

/** The content of the stream with which `bytes` begin; `too-much` when it is longer than `maxBytes`. */
export function inflate(bytes: Buffer, maxBytes: number): Uint8Array | "too-much" | "not-gzip" {
  if (maxBytes < 1) return "too-much";
  const body = bodyOf(bytes);
  if (body === undefined) return "not-gzip";
  try {
    return inflateRawSync(body, { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (error) {
    const tooMuch = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    return tooMuch ? "too-much" : "not-gzip";
  }
}

function bodyOf(bytes: Buffer): Buffer | undefined {
  const flags = bytes[3] ?? RESERVED;
  if ((flags & RESERVED) !== 0) return undefined;
  let at = HEADER_BYTES;
  if ((flags & HAS_EXTRA) !== 0) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  for (const text of [HAS_NAME, HAS_COMMENT]) {
    if ((flags & text) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  if ((flags & HAS_CHECKSUM) !== 0) at += 2;
  return at < bytes.byteLength ? bytes.subarray(at) : undefined;
}
