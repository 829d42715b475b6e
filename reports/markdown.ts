/** Markdown out of parts that a provider or guest may control: all text goes through here. */
import { escapeMarkdown } from "../redaction/escape.ts";
import { clip } from "./text.ts";

/** No honest sentence is longer, and an issue takes 65,536 characters in all. */
const MAX_TEXT = 300;

/** Inline text that is not ours. */
export const text = (content: string): string => escapeMarkdown(clip(content, MAX_TEXT));

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);

/** @param lines already free of control characters; the fence is longer than any that they hold. */
export function fenced(language: string, lines: readonly string[]): string[] {
  const longest = Math.max(0, ...lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return [fence + language, ...lines, fence];
}

/** Folded by GitHub: one line until a reader opens it. `summary` is ours, without markup. */
export const folded = (summary: string, lines: readonly string[]): string[] => [
  `<details><summary>${summary}</summary>`,
  "",
  ...lines,
  "",
  "</details>",
];
