/** Strings that a guest or a provider controls, made harmless for the place where they are printed. */

/** Control and format characters (ANSI, bidirectional overrides, zero width), line separators, surrogates, non-characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffe\uffff]/gu;
const UNSEEN_IN_MARKUP = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\ufffe\uffff]/gu;

const shown = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const asEntity = (character: string): string => ENTITIES[character] ?? character;

/** One line without any control character: no ANSI sequence, no carriage return, no line break passes. */
export const escapeTerminal = (text: string): string => text.replace(UNSEEN, shown);

/** Text or a quoted attribute value of HTML. Line breaks and tabs stay. */
export const escapeHtml = (text: string): string => text.replace(UNSEEN_IN_MARKUP, shown).replace(/[&<>"']/g, asEntity);

/** Text or a quoted attribute value of XML 1.0, which has no form at all for most control characters. */
export const escapeXml = (text: string): string => escapeHtml(text);

/** Inline Markdown text, also in a table cell: no heading, link, image, HTML, mention or line break can come of it. */
export const escapeMarkdown = (text: string): string =>
  escapeTerminal(text)
    .replace(/[!-/:-@[-`{-~]/g, "\\$&")
    // GitHub links mentions, issues and addresses after it has taken the backslashes away: an empty character parts them.
    .replace(/[@#]/g, "$&\u200b")
    .replace(/^ +| +$/g, "");
