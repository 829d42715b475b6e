/** One line as JSON, in the only form that our writers give it. */
import { isUtf8 } from "node:buffer";

export type JsonLine =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly rule: "json" | "canonical"; readonly problem: string };

const NOT_JSON: JsonLine = { ok: false, rule: "json", problem: "the line is not JSON in UTF-8" };
const NOT_CANONICAL: JsonLine = {
  ok: false,
  rule: "canonical",
  problem: "the line is not written as JSON.stringify writes it (white space, a key twice, an odd escape)",
};

export function parseLine(bytes: Uint8Array): JsonLine {
  if (!isUtf8(bytes)) return NOT_JSON;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? { ok: true, value } : NOT_CANONICAL;
  } catch (error) {
    // Nested so deep that it cannot be written again; no line of ours is.
    if (error instanceof RangeError) return NOT_CANONICAL;
    // The parser's own words quote the line, which may hold anything.
    return NOT_JSON;
  }
}
