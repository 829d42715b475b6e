import type { Digests } from "../history/digests.ts";
import type { Seen } from "../schemas/event.ts";

/** As much of an output as a scenario may look at; digests cover all of it. */
const KEPT_BYTES = 1024 * 1024;

/** One output stream: digest of everything, the first bytes for the scenario, and counts of the canaries looked for. */
export class Capture {
  readonly #seen: ReturnType<Digests["seen"]>;
  readonly #canaries: readonly string[];
  readonly #kept: Uint8Array[] = [];
  #keptBytes = 0;

  constructor(digests: Digests, canaries: readonly string[] = []) {
    this.#seen = digests.seen();
    this.#canaries = canaries;
  }

  add(chunk: Uint8Array): void {
    this.#seen.update(chunk);
    if (this.#keptBytes >= KEPT_BYTES) return;
    const part = chunk.subarray(0, KEPT_BYTES - this.#keptBytes);
    this.#kept.push(part);
    this.#keptBytes += part.byteLength;
  }

  text(): string {
    return Buffer.concat(this.#kept).toString("utf8");
  }

  end(): Seen {
    const seen = this.#seen.end();
    if (this.#canaries.length === 0) return seen;
    const text = this.text();
    return { ...seen, found: this.#canaries.map((canary) => text.split(canary).length - 1) };
  }
}
