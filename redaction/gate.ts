/** The last gate before publication: the exact bytes, decoded as a curious reader would. It fails closed and mends nothing. */
import { isUtf8 } from "node:buffer";
import { hasEscapes, hasPercent, joined, unescaped, unpercented } from "./decoders.ts";
import { inflate, MAGIC } from "./gzip.ts";
import type { KnownValues, ValueKind } from "./known-values.ts";
import { type Mapped, MappedBuilder, original } from "./mapped.ts";

export type Decoding = "base64" | "hex" | "percent" | "gzip";

/** `limit`: there is more encoded matter than the gate will decode, so it cannot vouch for it. */
export interface GateHit {
  readonly rule: `known-${ValueKind}` | "limit";
  /** With known values masked, should the name itself hold one. */
  readonly path: string;
  /** Byte of the file at which the value, or the run that encodes it, begins; `name` when it is in the path. */
  readonly offset: number | "name";
  readonly decodings: readonly Decoding[];
}

export interface Publication {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const MAX_DEPTH = 3;
/** Bytes that are looked at in one piece, and how far one piece reaches into the next: our longest line. */
const WINDOW_BYTES = 8 * 1024 * 1024;
const OVERLAP_BYTES = 1024 * 1024;
const MAX_INFLATED_BYTES = 16 * 1024 * 1024;
/** What all gzip streams of one file may come to, and how many places that look like one are tried. */
const INFLATED_BYTES_PER_FILE = 128 * 1024 * 1024;
const GZIP_STARTS_PER_FILE = 4096;
/** Shorter runs hold no known value that the plain scan does not find. */
const BASE64_RUN = /[A-Za-z0-9+/_-]{16,}/g;
const HEX_RUN = /[0-9A-Fa-f]{16,}/g;

/** @returns what must not be published; publication goes ahead only when that is nothing. */
export function scanForPublication(files: readonly Publication[], known: KnownValues): readonly GateHit[] {
  return files.flatMap(({ path, bytes }) => {
    const gate: Gate = { known, bytesLeft: INFLATED_BYTES_PER_FILE, startsLeft: GZIP_STARTS_PER_FILE };
    const named = known.scan(Buffer.from(path, "utf8"));
    const hits = [named.map(({ kind }): GateHit => ({ rule: `known-${kind}`, path, offset: "name", decodings: [] }))];
    for (let from = 0; from === 0 || from + OVERLAP_BYTES < bytes.byteLength; from += WINDOW_BYTES - OVERLAP_BYTES) {
      const window = original(bytes.subarray(from, from + WINDOW_BYTES));
      hits.push(search(window, gate, []).map((hit) => ({ ...hit, path, offset: hit.offset + from })));
    }
    return distinct(hits.flat()).map((hit) => ({ ...hit, path: known.redact(path) }));
  });
}

/** What is left of the bounds of one file. */
interface Gate {
  readonly known: KnownValues;
  bytesLeft: number;
  startsLeft: number;
}

interface Place {
  readonly rule: GateHit["rule"];
  readonly offset: number;
  readonly decodings: readonly Decoding[];
}

function search(text: Mapped, gate: Gate, decodings: readonly Decoding[]): Place[] {
  const hits = gate.known.scan(text.bytes);
  const here = hits.map(
    ({ kind, offset }): Place => ({
      rule: `known-${kind}`,
      offset: text.start[offset] ?? 0,
      decodings,
    }),
  );
  if (decodings.length === MAX_DEPTH) return here;
  const inside = Array.from(decoded(text, gate), (child): Place[] =>
    "limit" in child
      ? [{ rule: "limit", offset: child.limit, decodings }]
      : search(child.text, gate, [...decodings, child.decoding]),
  );
  return [here, ...inside].flat();
}

type Child = { readonly decoding: Decoding; readonly text: Mapped } | { readonly limit: number };

function* decoded(text: Mapped, gate: Gate): Generator<Child> {
  const readings = [joined(text)];
  if (hasEscapes(text.bytes)) readings.push(joined(unescaped(text)));
  for (const reading of readings) {
    const characters = viewOf(reading.bytes).toString("latin1");
    const base64 = [...characters.matchAll(BASE64_RUN)];
    const hex = [...characters.matchAll(HEX_RUN)];
    // Where the encoded matter begins in a run is not known: every phase is tried.
    for (const phase of [0, 1, 2, 3]) yield* nonEmpty("base64", fromRuns(reading, base64, "base64", phase));
    for (const phase of [0, 1]) yield* nonEmpty("hex", fromRuns(reading, hex, "hex", phase));
  }
  if (hasPercent(text.bytes)) yield { decoding: "percent", text: unpercented(text, "stays") };
  yield* inflated(text, gate);
}

function* nonEmpty(decoding: Decoding, text: Mapped): Generator<Child> {
  if (text.bytes.byteLength > 0) yield { decoding, text };
}

const SPACE = 0x20;
/** ASCII text of the length of the shortest known value: random bytes rarely have it. */
const TEXT = /[\t\n\r -~]{8}/;

/** The runs that decode to something that may hold a value in a further form, decoded, with a space between them. */
function fromRuns(text: Mapped, runs: readonly RegExpExecArray[], encoding: "base64" | "hex", phase: number): Mapped {
  const pieces = runs
    .map((run) => ({ from: run.index, to: run.index + run[0].length - 1, run: run[0].slice(phase) }))
    .map(({ from, to, run }) => ({ from, to, bytes: Buffer.from(run, encoding) }))
    .filter(({ bytes }) => isWorthReading(bytes));
  const out = new MappedBuilder(
    text,
    pieces.reduce((sum, { bytes }) => sum + bytes.byteLength + 1, 0),
  );
  for (const { from, to, bytes } of pieces) {
    for (const byte of bytes) out.add(byte, from, to);
    out.add(SPACE, to, to);
  }
  return out.build();
}

/** A plain value in the decoded bytes is found without decoding; what else there may be is text, or a stream. */
const isWorthReading = (bytes: Buffer): boolean =>
  TEXT.test(bytes.toString("latin1")) || bytes.includes(MAGIC) || isUtf8(bytes);

function* inflated(text: Mapped, gate: Gate): Generator<Child> {
  const bytes = viewOf(text.bytes);
  for (let at = bytes.indexOf(MAGIC); at !== -1; at = bytes.indexOf(MAGIC, at + 1)) {
    const offset = text.start[at] ?? 0;
    gate.startsLeft -= 1;
    const content =
      gate.startsLeft < 0 ? "too-much" : inflate(bytes.subarray(at), Math.min(MAX_INFLATED_BYTES, gate.bytesLeft));
    if (content === "too-much") return yield { limit: offset };
    if (content === "not-gzip") continue;
    gate.bytesLeft -= content.byteLength;
    yield { decoding: "gzip", text: standingFor(offset, content) };
  }
}

const viewOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** All of `bytes` stand for the place where their stream begins. */
const standingFor = (offset: number, bytes: Uint8Array): Mapped => ({
  bytes,
  start: new Uint32Array(bytes.byteLength).fill(offset),
  end: new Uint32Array(bytes.byteLength).fill(offset + 1),
});

/** One value at one place is one hit, told by the shortest way to it. */
function distinct(hits: readonly GateHit[]): GateHit[] {
  const shortest = new Map<string, GateHit>();
  for (const hit of hits.toSorted((one, other) => one.decodings.length - other.decodings.length)) {
    const key = `${hit.rule} ${hit.offset}`;
    if (!shortest.has(key)) shortest.set(key, hit);
  }
  return [...shortest.values()];
}
