/** Plain text as it goes into a terminal or a fenced block. */
import { escapeTerminal } from "../redaction/escape.ts";

const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** One word of a POSIX shell's command line, quoted where it must be; control characters are shown, not sent. */
export function shellWord(text: string): string {
  const shown = escapeTerminal(text);
  return PLAIN_WORD.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`;
}

export const shellLine = (words: readonly string[]): string => words.map(shellWord).join(" ");

/** Lines of at most `width` characters, cut at spaces where there are any. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
    for (; line.length > width; line = line.slice(width)) lines.push(line.slice(0, width));
  }
  if (line !== "" || lines.length === 0) lines.push(line);
  return lines;
}

/** Cut to `width` characters, and seen to be cut. */
export const clip = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`;
