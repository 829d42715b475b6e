import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scanForPublication } from "../../redaction/gate.ts";
import { KnownValues } from "../../redaction/known-values.ts";

const SECRET = "Zq7Rk2Vw9Xt4Ym6P";
const known = new KnownValues();
known.add(SECRET, "secret");
known.add("decoy-Value-0815", "decoy");

const scan = (bytes: Uint8Array, path = "history/0.ndjson") => scanForPublication([{ path, bytes }], known);
const ENCODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  base64: (bytes) => Buffer.from(bytes.toString("base64")),
  base64url: (bytes) => Buffer.from(bytes.toString("base64url")),
  "base64, wrapped": (bytes) => Buffer.from(bytes.toString("base64").replace(/.{76}/g, "$&\n")),
  "base64, in JSON, wrapped": (bytes) =>
    Buffer.from(JSON.stringify(bytes.toString("base64").replace(/.{64}/g, "$&\n"))),
  hex: (bytes) => Buffer.from(bytes.toString("hex")),
  percent: (bytes) => Buffer.from(bytes.toString("hex").replace(/../g, "%$&")),
  gzip: (bytes) => gzipSync(bytes),
};
const encoder = fc.constantFrom(...Object.keys(ENCODERS));
const encode = (bytes: Buffer, names: readonly string[]) =>
  names.reduce((content, name) => ENCODERS[name]?.(content) ?? content, bytes);

describe("a hit names rule, file and place", () => {
  test("plain", () => {
    expect(scan(Buffer.from(`{"a":"${SECRET}"}`))).toEqual([
      { rule: "known-secret", path: "history/0.ndjson", offset: 6, decodings: [] },
    ]);
  });
  test("of a decoy", () => {
    expect(scan(Buffer.from("decoy-Value-0815")).map(({ rule }) => rule)).toEqual(["known-decoy"]);
  });
  test("of an encoded run: where it begins", () => {
    const run = encode(Buffer.from(`key=${SECRET}`), ["base64", "base64"]);
    const hits = scan(Buffer.concat([Buffer.from("out: "), run]));
    expect(hits).toContainEqual({ rule: "known-secret", path: "history/0.ndjson", offset: 5, decodings: ["base64"] });
  });
  test("in the name of a file, which is masked then", () => {
    const hits = scan(Buffer.from(""), `samples/${SECRET}.json`);
    expect(hits).toEqual([{ rule: "known-secret", path: "samples/[secret:1].json", offset: "name", decodings: [] }]);
  });
});

test("nothing is hit in clean files", () => {
  const history = JSON.stringify({ prev: "0f".repeat(32), hmac: randomBytes(32).toString("hex"), s: "a%41\\n+/=" });
  expect(scan(Buffer.from(`${history}\n`.repeat(200)))).toEqual([]);
  expect(scan(gzipSync(history))).toEqual([]);
  expect(scan(randomBytes(10_000))).toEqual([]);
});

test("property: three encodings deep, in whatever stands round it, the value is found and not repeated", () =>
  fc.assert(
    fc.property(
      fc.array(encoder, { maxLength: 3 }),
      fc.string({ maxLength: 40 }),
      fc.constantFrom(" ", "\n", '","', "token", "="),
      (names, noise, glue) => {
        const content = encode(Buffer.from(`${noise} ${SECRET} ${noise}`), names);
        const file = Buffer.concat([Buffer.from(`${noise}${glue}`), content, Buffer.from(` ${noise}`)]);
        const hits = scan(file);
        expect(hits.map(({ rule }) => rule)).toContain("known-secret");
        expect(JSON.stringify(hits)).not.toContain(SECRET);
      },
    ),
    { numRuns: 400 },
  ));

describe("bounds", () => {
  test("a stream that inflates beyond them is refused, not trusted", () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    expect(scan(bomb).map(({ rule }) => rule)).toEqual(["limit"]);
  });
  test("so are bytes that look like very many streams", () => {
    const starts = Buffer.from([0x1f, 0x8b, 0x08, 0x00]);
    expect(scan(Buffer.concat(Array<Buffer>(5000).fill(starts))).map(({ rule }) => rule)).toEqual(["limit"]);
  });
  test("a cut stream gives what can be read of it", () => {
    const content = gzipSync(Buffer.from(`${SECRET} `.repeat(2) + randomBytes(5000).toString("hex")));
    const whole = scan(content);
    const cut = scan(content.subarray(0, 1000));
    expect(whole.map(({ decodings }) => decodings)).toContainEqual(["gzip"]);
    expect(cut).toEqual(whole);
  });
  test("a value on the border of two windows is found once, at its place", () => {
    const file = Buffer.alloc(8 * 1024 * 1024 + 100, ".");
    file.write(SECRET, 8 * 1024 * 1024 - 5);
    expect(scan(file)).toEqual([
      { rule: "known-secret", path: "history/0.ndjson", offset: 8 * 1024 * 1024 - 5, decodings: [] },
    ]);
  });
});
