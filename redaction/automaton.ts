/** Aho–Corasick: all needles in one pass, linear in the text whatever the text is. */

export interface Match {
  readonly needle: number;
  /** Place after the last byte. */
  readonly end: number;
}

/** Finds at every place the longest needle that ends there; the shorter ones lie inside it. */
export class Automaton {
  /** Bytes that occur in no needle share class 0, so that the table stays small. */
  readonly #classOf: Uint16Array;
  readonly #classes: number;
  readonly #next: Int32Array;
  readonly #found: Int32Array;

  /** @param needles none of them empty. */
  constructor(needles: readonly Uint8Array[]) {
    const used = [...new Set(needles.flatMap((needle) => [...needle]))];
    this.#classes = used.length + 1;
    const classes = new Map(used.map((byte, place) => [byte, place + 1]));
    this.#classOf = Uint16Array.from({ length: 256 }, (_, byte) => classes.get(byte) ?? 0);
    const states = needles.reduce((sum, needle) => sum + needle.byteLength, 1);
    this.#next = new Int32Array(states * this.#classes).fill(-1);
    this.#found = new Int32Array(states).fill(-1);
    this.#plant(needles);
    this.#link();
  }

  *matches(text: Uint8Array): Generator<Match> {
    const next = this.#next;
    const found = this.#found;
    const classOf = this.#classOf;
    const classes = this.#classes;
    let state = 0;
    for (let at = 0; at < text.byteLength; at += 1) {
      state = next[state * classes + (classOf[text[at] ?? 0] ?? 0)] ?? 0;
      const needle = found[state] ?? -1;
      if (needle !== -1) yield { needle, end: at + 1 };
    }
  }

  #plant(needles: readonly Uint8Array[]): void {
    let states = 1;
    needles.forEach((needle, number) => {
      let state = 0;
      for (const byte of needle) {
        const edge = state * this.#classes + (this.#classOf[byte] ?? 0);
        let to = this.#next[edge] ?? -1;
        if (to === -1) {
          to = states;
          states += 1;
          this.#next[edge] = to;
        }
        state = to;
      }
      this.#found[state] = number;
    });
  }

  /** Fills in, state by state from the root, where to go on when the needle does not. */
  #link(): void {
    const fallback = new Int32Array(this.#found.length);
    const queue = [0];
    for (let head = 0; head < queue.length; head += 1) {
      const state = queue[head] ?? 0;
      const back = fallback[state] ?? 0;
      if (this.#found[state] === -1) this.#found[state] = this.#found[back] ?? -1;
      for (let symbol = 0; symbol < this.#classes; symbol += 1) {
        const edge = state * this.#classes + symbol;
        const to = this.#next[edge] ?? -1;
        const otherwise = state === 0 ? 0 : (this.#next[back * this.#classes + symbol] ?? 0);
        if (to === -1) {
          this.#next[edge] = otherwise;
        } else {
          fallback[to] = otherwise;
          queue.push(to);
        }
      }
    }
  }
}
