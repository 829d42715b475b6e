/** Digests of content: what a history keeps in place of the content itself. */
import { createHash, createHmac } from "node:crypto";
import type { Pseudonym } from "../schemas/core.ts";
import type { Made, Seen } from "../schemas/event.ts";
import { base32 } from "./base32.ts";

/** A digest that is fed piece by piece; `end` is called once. */
export interface Digesting<D> {
  update(chunk: Uint8Array): void;
  end(): D;
}

const NUMBER = /^-?[0-9]{1,15}\n?$/;
/** A minus, 15 digits and a newline; one more byte shows that the content is longer. */
const NUMBER_BYTES = 18;
const KIND = /^[a-z-]+$/;
const PSEUDONYM_BYTES = 5;

const bytesOf = (content: Uint8Array | string): Uint8Array =>
  typeof content === "string" ? Buffer.from(content, "utf8") : content;

export class Digests {
  readonly #key: Uint8Array;

  /** @param key random, and forgotten when the run ends: digests of two runs must not be comparable. */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  made(content: Uint8Array | string): Made {
    return whole(this.madeStream(), content);
  }

  madeStream(): Digesting<Made> {
    const seen = this.seen();
    const plain = createHash("sha256");
    return {
      update(chunk) {
        seen.update(chunk);
        plain.update(chunk);
      },
      end() {
        const { bytes, hmac } = seen.end();
        return { bytes, sha256: plain.digest("hex"), hmac };
      },
    };
  }

  seenOf(content: Uint8Array | string): Seen {
    return whole(this.seen(), content);
  }

  seen(): Digesting<Seen> {
    const hmac = createHmac("sha256", this.#key);
    let bytes = 0;
    let head = "";
    return {
      update(chunk) {
        hmac.update(chunk);
        if (bytes < NUMBER_BYTES) head += Buffer.from(chunk.subarray(0, NUMBER_BYTES - bytes)).toString("latin1");
        bytes += chunk.byteLength;
      },
      end() {
        const seen = { bytes, hmac: hmac.digest("hex") };
        // `+ 0` turns minus zero into zero, which is how JSON would give it back.
        return bytes < NUMBER_BYTES && NUMBER.test(head) ? { ...seen, number: Number(head) + 0 } : seen;
      },
    };
  }

  /** The name under which a foreign identity may be published. */
  pseudonym(kind: string, value: string): Pseudonym {
    if (!KIND.test(kind)) throw new TypeError("the kind of a pseudonym is lowercase letters and hyphens");
    const digest = createHmac("sha256", this.#key).update(`${kind}\0${value}`).digest();
    return `${kind}:${base32(digest.subarray(0, PSEUDONYM_BYTES))}` as Pseudonym;
  }

  /** JSON with its keys sorted by UTF-16 code unit: equal labels have equal bytes. */
  canonical(labels: Readonly<Record<string, string>>): string {
    const members = Object.keys(labels)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${JSON.stringify(labels[key])}`);
    return `{${members.join(",")}}`;
  }
}

function whole<D>(digesting: Digesting<D>, content: Uint8Array | string): D {
  digesting.update(bytesOf(content));
  return digesting.end();
}
