/** Bytes that were read out of other bytes, each with its place there: what is found in them can be masked in the original. */
export interface Mapped {
  readonly bytes: Uint8Array;
  /** Where byte `i` begins and ends in the original. */
  readonly start: Uint32Array;
  readonly end: Uint32Array;
}

export function original(bytes: Uint8Array): Mapped {
  const start = new Uint32Array(bytes.byteLength);
  const end = new Uint32Array(bytes.byteLength);
  for (let at = 0; at < bytes.byteLength; at += 1) {
    start[at] = at;
    end[at] = at + 1;
  }
  return { bytes, start, end };
}

/** Collects the bytes that a decoder reads out of `from`; a decoder never gives more bytes than it takes. */
export class MappedBuilder {
  readonly #from: Mapped;
  readonly #bytes: Uint8Array;
  readonly #start: Uint32Array;
  readonly #end: Uint32Array;
  #length = 0;

  constructor(from: Mapped, capacity = from.bytes.byteLength) {
    this.#from = from;
    this.#bytes = new Uint8Array(capacity);
    this.#start = new Uint32Array(capacity);
    this.#end = new Uint32Array(capacity);
  }

  /** Adds `byte`, which stands for the bytes `first` to `last` (inclusive) of the source. */
  add(byte: number, first: number, last: number): void {
    this.#bytes[this.#length] = byte;
    this.#start[this.#length] = this.#from.start[first] ?? 0;
    this.#end[this.#length] = this.#from.end[last] ?? 0;
    this.#length += 1;
  }

  build(): Mapped {
    return {
      bytes: this.#bytes.subarray(0, this.#length),
      start: this.#start.subarray(0, this.#length),
      end: this.#end.subarray(0, this.#length),
    };
  }
}
