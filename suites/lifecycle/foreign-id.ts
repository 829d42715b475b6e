import { randomInt } from "node:crypto";

/** Fewer random bits than this could meet a stranger's sandbox. */
const ENOUGH_BITS = 64;
const KINDS = [
  { shape: /^[0-9]+$/, alphabet: "0123456789" },
  { shape: /^[0-9a-f]+$/, alphabet: "0123456789abcdef" },
] as const;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/**
 * An id of the same shape that nobody has: every part with a digit or of 8 characters or more is drawn anew from its own alphabet.
 * Undefined when fewer than 64 bits would be random.
 */
export function replaceInKind(id: string): string | undefined {
  let bits = 0;
  const replaced = id
    .split(/([^A-Za-z0-9]+)/)
    .map((part) => {
      if (!/^[a-z0-9]+$/.test(part) || (part.length < 8 && !/[0-9]/.test(part))) return part;
      const alphabet = KINDS.find(({ shape }) => shape.test(part))?.alphabet ?? BASE32;
      bits += part.length * Math.log2(alphabet.length);
      return Array.from(part, () => alphabet[randomInt(alphabet.length)]).join("");
    })
    .join("");
  return bits >= ENOUGH_BITS && replaced !== id ? replaced : undefined;
}
