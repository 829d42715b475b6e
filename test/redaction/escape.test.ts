import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeHtml, escapeMarkdown, escapeTerminal, escapeXml } from "../../redaction/escape.ts";

const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        "\u001b[31m",
        "\r",
        "\n",
        "# ",
        "|",
        "`",
        "<b>",
        "]]>",
        "\u202e",
        "@me",
        "\u0000",
        "\ud800",
        "&",
        "'",
        '"',
      ),
    )
    .map((parts) => parts.join("")),
);
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

describe("terminal", () => {
  test("shows what would act", () => {
    expect(escapeTerminal("a\u001b[2Jb\rc\nd\u202ee")).toBe("a\\u{1b}[2Jb\\u{d}c\\u{a}d\\u{202e}e");
  });
  test("property: no control character passes, other text stays", () =>
    fc.assert(
      fc.property(hostile, (text) => {
        expect(escapeTerminal(text)).not.toMatch(UNSEEN);
        if (!UNSEEN.test(text) && !/[\ufffe\uffff]/.test(text)) expect(escapeTerminal(text)).toBe(text);
      }),
    ));
});

describe("HTML and XML", () => {
  test("markup becomes text", () => {
    expect(escapeHtml(`<a href="x" b='y'>&</a>`)).toBe("&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
    expect(escapeXml("]]>\u0000\ufffe\n")).toBe("]]&gt;\\u{0}\\u{fffe}\n");
  });
  test("property: no markup, no quote, only characters that XML has", () =>
    fc.assert(
      fc.property(hostile, (text) => {
        const escaped = escapeXml(text);
        expect(escaped.replace(/&(amp|lt|gt|quot|#39);/g, "")).not.toMatch(/[<>"'&]/);
        expect(escaped).not.toMatch(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
      }),
    ));
});

describe("Markdown", () => {
  test.each([
    ["# Verified", "\\#\u200b Verified"],
    ["a\n## b", "a\\\\u\\{a\\}\\#\u200b\\#\u200b b"],
    ["[x](http://e.vil)", "\\[x\\]\\(http\\:\\/\\/e\\.vil\\)"],
    ["a|b", "a\\|b"],
    ["@maintainer", "\\@\u200bmaintainer"],
    ["<img src=x>", "\\<img src\\=x\\>"],
    ["    code", "code"],
  ])("%j", (text, expected) => expect(escapeMarkdown(text)).toBe(expected));

  test("property: one line, every mark escaped, and the text comes back when the marks are taken away", () =>
    fc.assert(
      fc.property(hostile, (text) => {
        const escaped = escapeMarkdown(text);
        expect(escaped.replaceAll("\u200b", "")).not.toMatch(UNSEEN);
        expect(escaped.replace(/\\[!-/:-@[-`{-~]/g, "")).not.toMatch(/[!-/:-@[-`{-~]/);
        const back = escaped.replaceAll("\u200b", "").replace(/\\(.)/gu, "$1");
        expect(back).toBe(escapeTerminal(text).replace(/^ +| +$/g, ""));
      }),
    ));
});
