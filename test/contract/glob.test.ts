import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { matchesGlob } from "../../contract/glob.ts";

test.each([
  ["exec.exit-code", "exec.exit-code", true],
  ["exec.exit-code", "exec.*", true],
  ["exec.exit-code", "*", true],
  ["exec.exit-code", "*.exit-*", true],
  ["exec.exit-code", "exec", false],
  ["exec.exit-code", "xec.*", false],
  ["execxexit-code", "exec.exit-code", false],
  ["a\nb", "a*b", true],
  ["", "*", true],
  ["a+b", "a+b", true],
  ["aab", "a+b", false],
])("%j by %j: %s", (text, glob, matches) => {
  expect(matchesGlob(text, glob)).toBe(matches);
});

test("every text without a star is a glob of itself alone", () => {
  const plain = string().filter((text) => !text.includes("*"));
  assert(property(plain, plain, (text, other) => matchesGlob(text, other) === (text === other)));
});
