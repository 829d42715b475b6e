import { StringDecoder } from "node:string_decoder";
import type { KnownValues } from "../redaction/known-values.ts";

const KEPT_CHARACTERS = 8_192;

/** The end of an adapter's log, bounded, and redacted when it is shown. */
export class StderrTail {
  readonly #known: KnownValues;
  readonly #decoder = new StringDecoder("utf8");
  #text = "";

  constructor(known: KnownValues) {
    this.#known = known;
  }

  add(chunk: Uint8Array): void {
    this.#text = (this.#text + this.#decoder.write(Buffer.from(chunk))).slice(-KEPT_CHARACTERS);
  }

  text(): string {
    return this.#known.redact(this.#text).trimEnd();
  }
}
