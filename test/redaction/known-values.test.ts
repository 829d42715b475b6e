import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { KnownValues } from "../../redaction/known-values.ts";

const SECRET = `aB3$x"y'z\\q/é+ ~k&9%`;
const known = (...values: string[]) => {
  const list = new KnownValues();
  for (const value of values) list.add(value, "secret");
  return list;
};
const wrapped = (text: string, width: number, newline = "\n") =>
  text.replace(new RegExp(`.{${width}}`, "gsu"), `$&${newline}`);
const percentAll = (text: string) => Buffer.from(text).toString("hex").replace(/../g, "%$&");
const shellBackslash = (text: string) => text.replace(/[^A-Za-z0-9_]/gu, "\\$&");

/** Every way to write a value that the harness undertakes to see. */
const WRITINGS: Readonly<Record<string, (value: string) => string>> = {
  raw: (value) => value,
  json: (value) => JSON.stringify(value).slice(1, -1),
  "json, all escaped": (value) =>
    value
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  "json in json": (value) => JSON.stringify(JSON.stringify(value)).slice(1, -1),
  "single quotes": (value) => value.replaceAll("'", "'\\''"),
  "single quotes, double-quoted": (value) => value.replaceAll("'", `'"'"'`),
  "double quotes": (value) => value.replace(/["$`\\]/g, "\\$&"),
  backslashes: shellBackslash,
  percent: (value) => encodeURIComponent(value),
  "percent, lower": (value) => encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
  "percent, all": (value) => percentAll(value),
  form: (value) => new URLSearchParams({ v: value }).toString().slice(2),
  hex: (value) => Buffer.from(value).toString("hex"),
  HEX: (value) => Buffer.from(value).toString("hex").toUpperCase(),
  base64: (value) => Buffer.from(value).toString("base64"),
  base64url: (value) => Buffer.from(value).toString("base64url"),
  "base64 after 1": (value) => Buffer.from(`?${value}`).toString("base64"),
  "base64 after 2": (value) => Buffer.from(`??${value}`).toString("base64"),
  "base64 inside": (value) => Buffer.from(`user:${value}:more`).toString("base64"),
  "base64url inside": (value) => Buffer.from(`user:>>?${value}?>`).toString("base64url"),
};

describe.each(Object.entries(WRITINGS))("%s", (_, write) => {
  const masked = (text: string, value: string) => {
    const redacted = known(value).redact(text);
    expect(redacted).toContain("[secret:1]");
    return redacted;
  };

  test("is masked, and the text round it stays", () => {
    const redacted = masked(`before: <${write(SECRET)}> after`, SECRET);
    expect(redacted.startsWith("before: <")).toBe(true);
    expect(redacted.endsWith("> after")).toBe(true);
    expect(redacted).not.toContain(write(SECRET));
  });

  test("is masked when lines, CRLF or ANSI codes split it", () => {
    // Escapes of more than one character stay whole: nobody wraps inside them.
    const plain = "Zq7Rk2Vw9Xt4Ym6Pn8Ls3Jh5Gf1D";
    const written = write(plain);
    for (const split of [
      wrapped(written, 12),
      wrapped(written, 12, "\r\n  "),
      wrapped(written, 12, "\u001b[31m\u001b]0;t\u0007"),
    ])
      expect(masked(`x ${split} y`, plain)).toMatch(/^x .{0,60}y$/su);
  });

  test("property: any value that is masked at all", () =>
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 8, maxLength: 40 }), fc.nat(20), (value, ends) => {
        const list = new KnownValues();
        if (list.add(value, "secret") === "too-short") return;
        const text = `${"left ".repeat(ends)}<${write(value)}>`;
        const redacted = list.redact(text);
        expect(redacted).toContain("[secret:1]");
        expect(redacted).not.toContain(write(value));
      }),
      { numRuns: 100 },
    ));
});

describe("over-redaction", () => {
  test.each(["", "test", "1234567", "aaaaaaaaaaaaaaaa", "abababababab"])("%j is not masked by value", (value) => {
    const list = new KnownValues();
    expect(list.add(value, "secret")).toBe("too-short");
    expect(list.redact("a test of 1234567 and aaaaaaaaaaaaaaaa, abc")).toBe(
      "a test of 1234567 and aaaaaaaaaaaaaaaa, abc",
    );
    expect(list.counts.tooShort).toBe(1);
  });

  test("what is left of a value without its line breaks does not mask innocent text", () => {
    expect(known("\n\n\n\n\n\n\n\nabcd").redact("abcd abcd")).toBe("abcd abcd");
    expect(known(`'"'"'"'"abcd`).redact("abcd abcd")).toBe("abcd abcd");
  });

  test("property: a text without the value stays as it is", () =>
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(known("Zq7Rk2Vw9Xt4Ym6P").redact(text)).toBe(text);
      }),
    ));

  test("characters beside a base64 form stay whole", () => {
    const text = `é${Buffer.from("?Zq7Rk2Vw9Xt4Ym6P").toString("base64").slice(2).replace("=", "")}é`;
    expect(known("Zq7Rk2Vw9Xt4Ym6P").redact(text)).toBe("é[secret:1]é");
  });
});

describe("several values", () => {
  test("keep their ordinals, also when added again", () => {
    const list = known("first-Secret-1", "second-Secret-2");
    expect(list.add("first-Secret-1", "decoy")).toBe("masked");
    expect(list.redact("second-Secret-2 first-Secret-1")).toBe("[secret:2] [secret:1]");
    expect(list.counts).toEqual({ secret: { values: 2, masked: 2 }, decoy: { values: 0, masked: 0 }, tooShort: 0 });
  });

  test("that overlap are masked as one, none of them in part", () => {
    const list = known("abcdefgh1234", "1234-5678-zz", "abcdefgh");
    expect(list.redact("<abcdefgh1234-5678-zz> <abcdefgh>")).toBe("<[secret:1]> <[secret:3]>");
  });

  test("in one text many times", () => {
    const list = known("Zq7Rk2Vw9Xt4");
    expect(list.redact("Zq7Rk2Vw9Xt4,".repeat(3))).toBe("[secret:1],[secret:1],[secret:1],");
  });
});

test("scan names place, kind and form, and never the value", () => {
  const list = new KnownValues();
  list.add("Zq7Rk2Vw9Xt4", "decoy");
  const bytes = Buffer.from(`é ${Buffer.from("Zq7Rk2Vw9Xt4").toString("hex")} é`);
  const hits = list.scan(bytes);
  expect(hits[0]).toEqual({ value: 1, kind: "decoy", form: "hex", offset: 3, length: 24 });
  expect(JSON.stringify(hits)).not.toContain("Zq7");
});

test("a value that is not text is seen in its encodings", () => {
  const value = Uint8Array.from({ length: 300 }, (_, index) => (index * 7) % 256);
  const list = new KnownValues();
  expect(list.add(value, "secret")).toBe("masked");
  expect(list.redact(`k=${Buffer.from(value).toString("base64")};`)).toMatch(/^k=\[secret:1\]=*;$/);
  expect(list.scan(value).length).toBeGreaterThan(0);
});

test("a large hostile text is read in one pass", () => {
  const list = known(`${"abcd".repeat(500)}X`);
  const text = "abcd".repeat(250_000);
  expect(list.redact(text)).toBe(text);
  expect(list.redact("\u001b]".repeat(50_000))).toBe("\u001b]".repeat(50_000));
});

test("the values do not show when the object is printed", async () => {
  const { inspect } = await import("node:util");
  const list = known("Zq7Rk2Vw9Xt4");
  expect(inspect(list, { depth: null, showHidden: true })).not.toContain("Zq7");
  expect(JSON.stringify(list)).not.toContain("Zq7");
});
