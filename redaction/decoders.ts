/** Readings of a text that undo what may split or quote a value. Each is linear in the text, and keeps places. */
import { hexDigit } from "./alphabets.ts";
import { type Mapped, MappedBuilder } from "./mapped.ts";

const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BELL = 0x07;
const ESCAPE = 0x1b;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const PERCENT = 0x25;
const SINGLE_QUOTE = 0x27;
const PLUS = 0x2b;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;
/** An escape sequence that does not end within these bytes is taken as none: the search for its end stays linear. */
const SEQUENCE_BYTES = 1024;

/** Without line breaks (and the indent after them), ANSI sequences and control characters. */
export function joined(from: Mapped): Mapped {
  const { bytes } = from;
  const out = new MappedBuilder(from);
  for (let at = 0; at < bytes.byteLength; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === ESCAPE) at = sequenceEnd(bytes, at);
    else if (byte === NEWLINE || byte === RETURN) at = indentEnd(bytes, at);
    else if (byte >= SPACE ? byte !== DELETE : byte === TAB) out.add(byte, at, at);
  }
  return out.build();
}

/** With JSON's escapes undone: `\"`, `\n`, `\u0041`. */
export function unescaped(from: Mapped): Mapped {
  const { bytes } = from;
  const out = new MappedBuilder(from);
  for (let at = 0; at < bytes.byteLength; ) {
    const escape = bytes[at] === BACKSLASH ? readEscape(bytes, at) : undefined;
    if (escape === undefined) {
      out.add(bytes[at] ?? 0, at, at);
      at += 1;
    } else {
      for (const byte of escape.bytes) out.add(byte, at, at + escape.length - 1);
      at += escape.length;
    }
  }
  return out.build();
}

/** With `%41` undone, and `+` left as it is or read as the space that a form makes of it. */
export function unpercented(from: Mapped, plus: "stays" | "is-space"): Mapped {
  const { bytes } = from;
  const out = new MappedBuilder(from);
  const read = plus === "stays" ? (byte: number) => byte : plusAsSpace;
  for (let at = 0; at < bytes.byteLength; at += 1) {
    const byte = bytes[at] ?? 0;
    const code = byte === PERCENT ? hexNumber(bytes, at + 1, 2) : undefined;
    out.add(read(code ?? byte), at, code === undefined ? at : at + 2);
    if (code !== undefined) at += 2;
  }
  return out.build();
}

/** Without quotes and backslashes, however a shell was made to read them. */
export function unquoted(from: Mapped): Mapped {
  const out = new MappedBuilder(from);
  from.bytes.forEach((byte, at) => {
    if (byte !== SINGLE_QUOTE && byte !== DOUBLE_QUOTE && byte !== BACKSLASH) out.add(byte, at, at);
  });
  return out.build();
}

/** What {@link unpercented} with `is-space` does to bytes that are not encoded. */
export const spacedForm = (bytes: Uint8Array): Uint8Array => bytes.map(plusAsSpace);

export const hasEscapes = (bytes: Uint8Array): boolean => bytes.includes(BACKSLASH);
export const hasQuotes = (bytes: Uint8Array): boolean =>
  bytes.includes(SINGLE_QUOTE) || bytes.includes(DOUBLE_QUOTE) || hasEscapes(bytes);
export const hasPercent = (bytes: Uint8Array): boolean => bytes.includes(PERCENT);
export const hasPlus = (bytes: Uint8Array): boolean => bytes.includes(PLUS);

const plusAsSpace = (byte: number): number => (byte === PLUS ? SPACE : byte);

/** Place of the last byte of the ANSI sequence at `at`, or `at` itself where there is none. */
function sequenceEnd(bytes: Uint8Array, at: number): number {
  const limit = Math.min(bytes.byteLength, at + SEQUENCE_BYTES);
  const kind = bytes[at + 1];
  if (kind === 0x5b) {
    for (let end = at + 2; end < limit; end += 1) {
      const byte = bytes[end] ?? 0;
      if (byte >= 0x40 && byte <= 0x7e) return end;
      if (byte < SPACE || byte > DELETE) return at;
    }
    return at;
  }
  // OSC, DCS, SOS, PM and APC: a string up to BEL or ESC \.
  if (kind !== undefined && [0x5d, 0x50, 0x58, 0x5e, 0x5f].includes(kind)) {
    for (let end = at + 2; end < limit; end += 1) {
      if (bytes[end] === BELL) return end;
      if (bytes[end] === ESCAPE && bytes[end + 1] === BACKSLASH) return end + 1;
    }
  }
  return at;
}

function indentEnd(bytes: Uint8Array, at: number): number {
  let end = at;
  while (bytes[end + 1] === SPACE || bytes[end + 1] === TAB) end += 1;
  return end;
}

const SIMPLE: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(
    ([name, character]) => [name.charCodeAt(0), character.charCodeAt(0)] as const,
  ),
);

interface Escape {
  readonly bytes: Iterable<number>;
  readonly length: number;
}

function readEscape(bytes: Uint8Array, at: number): Escape | undefined {
  const simple = SIMPLE.get(bytes[at + 1] ?? 0);
  if (simple !== undefined) return { bytes: [simple], length: 2 };
  const unit = readUnit(bytes, at);
  if (unit === undefined) return undefined;
  const low = readUnit(bytes, at + 6);
  const isPair = (unit & 0xfc00) === 0xd800 && low !== undefined && (low & 0xfc00) === 0xdc00;
  if (isPair) return { bytes: Buffer.from(String.fromCharCode(unit, low), "utf8"), length: 12 };
  return { bytes: Buffer.from(String.fromCharCode(unit), "utf8"), length: 6 };
}

const readUnit = (bytes: Uint8Array, at: number): number | undefined =>
  bytes[at] === BACKSLASH && bytes[at + 1] === 0x75 ? hexNumber(bytes, at + 2, 4) : undefined;

function hexNumber(bytes: Uint8Array, at: number, digits: number): number | undefined {
  let number = 0;
  for (let place = at; place < at + digits; place += 1) {
    const digit = hexDigit(bytes[place] ?? 0);
    if (digit === -1) return undefined;
    number = number * 16 + digit;
  }
  return number;
}
