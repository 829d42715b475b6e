import { createHash, createHmac } from "node:crypto";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { base32 } from "../../history/base32.ts";
import { Digests } from "../../history/digests.ts";
import { newRunId, newToken } from "../../history/tokens.ts";
import { Pseudonym, RunId, Token } from "../../schemas/core.ts";
import { Made, Seen } from "../../schemas/event.ts";
import { check } from "../../schemas/validate.ts";

const key = new Uint8Array(32).fill(1);
const digests = new Digests(key);
const hmac = (content: string | Uint8Array) => createHmac("sha256", key).update(content).digest("hex");

test("base32 is RFC 4648's, in lowercase and without padding", () => {
  const vectors = {
    "": "",
    f: "my",
    fo: "mzxq",
    foo: "mzxw6",
    foob: "mzxw6yq",
    fooba: "mzxw6ytb",
    foobar: "mzxw6ytboi",
  };
  for (const [text, expected] of Object.entries(vectors)) expect(base32(Buffer.from(text))).toBe(expected);
});

test("ids fit their schemas and do not repeat", () => {
  const ids = Array.from({ length: 200 }, () => [newRunId(), newToken()] as const);
  for (const [run, token] of ids) {
    expect(check(RunId, run).ok).toBe(true);
    expect(check(Token, token).ok).toBe(true);
  }
  expect(new Set(ids.flat()).size).toBe(400);
});

test("made content: length, plain digest and HMAC", () => {
  const made = digests.made("ä");
  expect(made).toEqual({ bytes: 2, sha256: createHash("sha256").update("ä").digest("hex"), hmac: hmac("ä") });
  expect(check(Made, made).ok).toBe(true);
});

test("seen content is the same in whatever pieces it comes, and has no plain digest", () =>
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 12 })), (pieces) => {
      const whole = Buffer.concat(pieces);
      const seen = digests.seen();
      for (const piece of pieces) seen.update(piece);
      const result = seen.end();
      expect(result).toEqual(digests.seenOf(whole));
      expect(result).toMatchObject({ bytes: whole.byteLength, hmac: hmac(whole) });
      expect(check(Seen, result).ok).toBe(true);
    }),
  ));

test.each([
  ["0", 0],
  ["-0\n", 0],
  ["42\n", 42],
  ["-7", -7],
  ["007", 7],
  ["123456789012345\n", 123456789012345],
  ["-123456789012345\n", -123456789012345],
  ["1234567890123456", undefined],
  ["-123456789012345\n\n", undefined],
  ["-123456789012345\n9", undefined],
  ["1\n\n", undefined],
  ["1 ", undefined],
  [" 1", undefined],
  ["1\r\n", undefined],
  ["1.5", undefined],
  ["1e3", undefined],
  ["-", undefined],
  ["", undefined],
  ["\n", undefined],
  ["١", undefined],
])("%j as a number is %j", (content, number) => {
  expect(digests.seenOf(content).number).toBe(number);
});

test("pseudonyms are stable under one key, differ by kind, value and key, and fit the schema", () => {
  const one = digests.pseudonym("sandbox", "id-1");
  expect(check(Pseudonym, one).ok).toBe(true);
  expect(one).toBe(`sandbox:${base32(createHmac("sha256", key).update("sandbox\0id-1").digest()).slice(0, 8)}`);
  const others = [
    digests.pseudonym("sandbox", "id-2"),
    digests.pseudonym("volume", "id-1").replace("volume", "sandbox"),
    new Digests(new Uint8Array(32)).pseudonym("sandbox", "id-1"),
  ];
  expect(others).not.toContain(one);
  expect(() => digests.pseudonym("Sand Box", "x")).toThrow(TypeError);
});

test("labels in canonical form: order of insertion does not matter, everything else does", () => {
  expect(digests.canonical({ b: "2", a: '"', 10: "x", 9: "y" })).toBe('{"10":"x","9":"y","a":"\\"","b":"2"}');
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), (labels) => {
      const reversed = Object.fromEntries(Object.entries(labels).toReversed());
      expect(digests.canonical(reversed)).toBe(digests.canonical(labels));
      expect(new Map(Object.entries(JSON.parse(digests.canonical(labels))))).toEqual(new Map(Object.entries(labels)));
    }),
  );
});
