/** A seeded stream of numbers in [0, 1): the same seed, the same run. For schedules and content, never for ids. */
export type Random = () => number;

/** A stream for each purpose of one seed, so that what runs beside it changes nothing. FNV-1a over the name. */
const mixIn = (seed: number, name: string): number =>
  Array.from(name).reduce(
    (hash, character) => Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0,
    (seed ^ 0x811c9dc5) >>> 0,
  );

/** Weyl sequence with a 32-bit finaliser (the MurmurHash3 mixer); good enough to vary a schedule. */
export function seededRandom(seed: number, name = ""): Random {
  let state = mixIn(seed, name);
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
}

/** A new order of the items. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
