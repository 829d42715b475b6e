import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { isPlainForm, stableJson } from "../../evidence/json.ts";
import { rootOf } from "../../evidence/root.ts";

const [one, two] = ["1".repeat(64), "2".repeat(64)];

test("the root is the digest of path, digest and length, sorted by bytes of path", () => {
  // U+FF5E comes after U+1F600 by UTF-16 code units, and before it by bytes.
  const files = [
    { path: "\u{1f600}", sha256: one, bytes: 5 },
    { path: "\uff5e", sha256: two, bytes: 0 },
    { path: "a", sha256: two, bytes: 7 },
  ];
  const due = hash("sha256", `a\0${two}\x007\n\uff5e\0${two}\x000\n\u{1f600}\0${one}\x005\n`);
  expect(rootOf(files)).toBe(due);
  expect(rootOf(files.toReversed())).toBe(due);
});

test("equal documents have equal bytes, whatever order their members were set in", () => {
  const text = stableJson({ b: [{ z: 1, a: undefined }], a: "ü" });
  expect(text).toBe('{\n  "a": "ü",\n  "b": [\n    {\n      "z": 1\n    }\n  ]\n}\n');
  expect(stableJson({ a: "ü", b: [{ z: 1 }] })).toBe(text);
});

test("a document that reads as one thing and shows another is not in plain form", () => {
  const plain = (text: string) => isPlainForm(text, JSON.parse(text));
  expect(plain(stableJson({ b: 1, a: {} }))).toBe(true);
  expect(plain('{"b":1,"a":2}')).toBe(true);
  expect(plain('{"a":1,"a":2}')).toBe(false);
  expect(plain('{"\\u0061":1}')).toBe(false);
  expect(plain(`${"[".repeat(200_000)}${"]".repeat(200_000)}`)).toBe(false);
});
