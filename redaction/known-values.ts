/** Secrets that the harness knows, found and masked by value in every form in which they may travel. */
import { isUtf8 } from "node:buffer";
import { base64Digit } from "./alphabets.ts";
import { Automaton } from "./automaton.ts";
import { spacedForm } from "./decoders.ts";
import { base64Forms, type Form, type FormName, hexForms, rawForm, shellForms } from "./forms.ts";
import { appearances, type Reading, readings } from "./readings.ts";

export type ValueKind = "secret" | "decoy";

/** A known value in a text. Names its place and ordinal, never the value. */
export interface Hit {
  /** Ordinal of the value, from 1, as in the mask. */
  readonly value: number;
  readonly kind: ValueKind;
  readonly form: FormName;
  /** Bytes of the text that hold it. */
  readonly offset: number;
  readonly length: number;
}

export interface KnownCounts {
  readonly values: number;
  /** Times that `redact` masked one. */
  readonly masked: number;
}

/** Shorter values, and those of fewer distinct characters, would mask innocent text, and reveal themselves by that. */
const MIN_CHARACTERS = 8;
const MIN_DISTINCT = 4;

interface Needle extends Form {
  readonly value: number;
}

export class KnownValues {
  readonly #ordinals = new Map<string, number>();
  readonly #kinds: ValueKind[] = [];
  readonly #needles = new Map<string, Needle>();
  readonly #masked = { secret: 0, decoy: 0 };
  #tooShort = 0;
  #search: { readonly needles: readonly Needle[]; readonly automaton: Automaton } | undefined;

  /** `too-short`: not masked by value; the caller warns. A value that is known already keeps its ordinal and kind. */
  add(value: string | Uint8Array, kind: ValueKind): "masked" | "too-short" {
    const bytes = typeof value === "string" ? Buffer.from(value, "utf8") : Uint8Array.from(value);
    if (!isDistinctive(bytes)) {
      this.#tooShort += 1;
      return "too-short";
    }
    const key = latin1(bytes);
    if (this.#ordinals.has(key)) return "masked";
    this.#kinds.push(kind);
    this.#ordinals.set(key, this.#kinds.length);
    this.#learn(bytes, this.#kinds.length);
    return "masked";
  }

  /** The text with every known value replaced by `[secret:<ordinal>]`. Lone surrogates become U+FFFD. */
  redact(text: string): string {
    if (this.#needles.size === 0) return text;
    const bytes = Buffer.from(text, "utf8");
    let masked = "";
    let done = 0;
    for (const { value, kind, offset, length } of apart(this.scan(bytes))) {
      masked += `${bytes.toString("utf8", done, offset)}[secret:${value}]`;
      done = offset + length;
      this.#masked[kind] += 1;
    }
    return done === 0 ? text : masked + bytes.toString("utf8", done);
  }

  /** Every place that holds a known value, in the order of the text. Hits may overlap. */
  scan(bytes: Uint8Array): readonly Hit[] {
    if (this.#needles.size === 0) return [];
    return readings(bytes)
      .flatMap((reading) => this.#hits(reading))
      .sort((one, other) => one.offset - other.offset || other.length - one.length);
  }

  get counts(): Readonly<Record<ValueKind, KnownCounts>> & { readonly tooShort: number } {
    const of = (kind: ValueKind): KnownCounts => ({
      values: this.#kinds.filter((known) => known === kind).length,
      masked: this.#masked[kind],
    });
    return { secret: of("secret"), decoy: of("decoy"), tooShort: this.#tooShort };
  }

  #learn(value: Uint8Array, ordinal: number): void {
    this.#search = undefined;
    const forms = [rawForm(value), ...shellForms(value), ...hexForms(value), ...base64Forms(value)];
    for (const form of forms) {
      // What is left of a value in some readings may be too little to tell it by.
      const reduced = appearances(form.bytes).filter(isDistinctive);
      this.#want(form, ordinal, [form.bytes, spacedForm(form.bytes), ...reduced]);
    }
  }

  #want(form: Form, value: number, looks: readonly Uint8Array[]): void {
    for (const bytes of looks) {
      const key = latin1(bytes);
      if (!this.#needles.has(key)) this.#needles.set(key, { ...form, bytes, value });
    }
  }

  #hits(reading: Reading): Hit[] {
    const { bytes, start, end } = reading.text;
    const { needles, automaton } = this.#searching();
    const hits: Hit[] = [];
    for (const match of automaton.matches(bytes)) {
      const needle = needles[match.needle];
      if (needle === undefined) continue;
      const { value, before, after } = needle;
      let first = match.end - needle.bytes.byteLength;
      let last = match.end - 1;
      if (before === 1 && base64Digit(bytes[first - 1] ?? 0) !== -1) first -= 1;
      if (after === 1 && base64Digit(bytes[last + 1] ?? 0) !== -1) last += 1;
      const offset = start[first] ?? 0;
      hits.push({
        value,
        kind: this.#kinds[value - 1] ?? "secret",
        form: needle.name === "raw" ? reading.form : needle.name,
        offset,
        length: (end[last] ?? 0) - offset,
      });
    }
    return hits;
  }

  #searching() {
    if (this.#search === undefined) {
      const needles = [...this.#needles.values()];
      this.#search = { needles, automaton: new Automaton(needles.map(({ bytes }) => bytes)) };
    }
    return this.#search;
  }
}

/** Hits that overlap become one, under the name of the first and longest. */
function apart(hits: readonly Hit[]): Hit[] {
  const list: Hit[] = [];
  for (const hit of hits) {
    const before = list.at(-1);
    if (before === undefined || hit.offset >= before.offset + before.length) list.push(hit);
    else
      list[list.length - 1] = { ...before, length: Math.max(before.length, hit.offset + hit.length - before.offset) };
  }
  return list;
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

function isDistinctive(bytes: Uint8Array): boolean {
  const characters = isUtf8(bytes) ? Array.from(Buffer.from(bytes).toString("utf8")) : Array.from(latin1(bytes));
  return characters.length >= MIN_CHARACTERS && new Set(characters).size >= MIN_DISTINCT;
}
