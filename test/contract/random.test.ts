import { assert, nat, property } from "fast-check";
import { expect, test } from "vitest";
import { seededRandom, shuffled } from "../../contract/random.ts";

const take = (seed: number, count: number) => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => random());
};

test("the same seed gives the same numbers, another seed others; all in [0, 1)", () => {
  assert(
    property(nat(2 ** 32 - 2), (seed) => {
      const numbers = take(seed, 50);
      expect(take(seed, 50)).toEqual(numbers);
      expect(take(seed + 1, 50)).not.toEqual(numbers);
      expect(numbers.every((n) => n >= 0 && n < 1)).toBe(true);
    }),
  );
});

test("the stream is fixed: a stored seed replays the schedule of its run", () => {
  expect(take(42, 3).map((n) => Math.floor(n * 1e6))).toEqual([930_639, 983_774, 523_709]);
  expect(new Set(take(42, 10_000)).size).toBeGreaterThan(9_990);
});

test("a shuffle keeps every item, leaves its input, and is the seed's", () => {
  const items = Array.from({ length: 30 }, (_, n) => n);
  const order = shuffled(items, seededRandom(7));
  expect(order.toSorted((a, b) => a - b)).toEqual(items);
  expect(order).not.toEqual(items);
  expect(shuffled(items, seededRandom(7))).toEqual(order);
});

test("each purpose of one seed has a stream of its own", () => {
  const first = (name: string) => seededRandom(42, name)();
  expect(new Set(["", "a", "b", "ab", "ba"].map(first)).size).toBe(5);
  expect(first("a")).toBe(first("a"));
});
