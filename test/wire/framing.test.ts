import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  dataPieces,
  decodeData,
  encodeData,
  MAX_DATA_BYTES,
  MAX_LINE_BYTES,
  parseLine,
  splitLines,
} from "../../wire/framing.ts";

function split(chunks: readonly Uint8Array[]) {
  const lines: string[] = [];
  let tooLong = 0;
  const splitter = splitLines(
    (line) => lines.push(Buffer.from(line).toString("latin1")),
    () => (tooLong += 1),
  );
  for (const chunk of chunks) splitter.push(chunk);
  return { lines, tooLong, end: () => splitter.end() };
}

test("lines are the same however the bytes are cut", () => {
  const line = fc.string({ maxLength: 20 }).map((text) => text.replaceAll("\n", ""));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), fc.array(fc.nat(40), { maxLength: 20 }), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(""));
      const chunks: Uint8Array[] = [];
      let from = 0;
      for (const cut of cuts) chunks.push(bytes.subarray(from, (from += cut)));
      chunks.push(bytes.subarray(from));
      const expected = lines.map((each) => Buffer.from(each).toString("latin1"));
      expect(split(chunks)).toMatchObject({ lines: expected, tooLong: 0 });
    }),
  );
});

test("a line of exactly the bound passes, one byte more is dropped once, and reading goes on", () => {
  const longest = new Uint8Array(MAX_LINE_BYTES).fill(97);
  const newline = Buffer.from("\n");
  for (const chunk of [longest.length, 60_000, 4_096]) {
    const pieces = (bytes: Uint8Array) =>
      Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, n) => bytes.subarray(n * chunk, (n + 1) * chunk));
    const fits = split([...pieces(longest), newline, Buffer.from("next\n")]);
    expect(fits.lines.map(({ length }) => length)).toEqual([MAX_LINE_BYTES, 4]);
    const much = [...pieces(longest), Buffer.from("a"), ...pieces(longest), newline, Buffer.from("next\n")];
    expect(split(much)).toMatchObject({ lines: ["next"], tooLong: 1 });
  }
});

test("a line too long inside one chunk is dropped too", () => {
  const bytes = Buffer.concat([new Uint8Array(MAX_LINE_BYTES + 1).fill(97), Buffer.from("\nnext\n")]);
  expect(split([bytes])).toMatchObject({ lines: ["next"], tooLong: 1 });
});

test("the rest at the end of the stream is a line; an empty rest is none", () => {
  const cut = split([Buffer.from("one\ntw")]);
  cut.end();
  expect(cut.lines).toEqual(["one", "tw"]);
  const whole = split([Buffer.from("one\n")]);
  whole.end();
  expect(whole.lines).toEqual(["one"]);
});

test("only strict UTF-8 JSON is a value", () => {
  expect(parseLine(Buffer.from('{"a":"ü"}'))).toEqual({ value: { a: "ü" } });
  expect(parseLine(Buffer.from("null"))).toEqual({ value: null });
  for (const bad of ["", "{", "\uFEFF{}", "NaN"]) expect(parseLine(Buffer.from(bad))).toBeUndefined();
  expect(parseLine(Uint8Array.of(0x22, 0xff, 0x22))).toBeUndefined();
});

test("base64 is strict, and content is cut to what fits a notification", () => {
  for (const bad of ["%", "QQ", "QQ=", "QR==", "QQ==\n", "Q Q=="]) expect(decodeData(bad)).toBeUndefined();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(Buffer.from(decodeData(encodeData(bytes)) ?? []).equals(bytes)).toBe(true);
    }),
  );
  const sizes = [...dataPieces(new Uint8Array(2 * MAX_DATA_BYTES + 1))].map(({ length }) => length);
  expect(sizes).toEqual([MAX_DATA_BYTES, MAX_DATA_BYTES, 1]);
  expect([...dataPieces(new Uint8Array())]).toEqual([]);
});
