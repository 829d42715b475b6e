/** Mounts of the harness's own mount namespace. */
import { type Read, readText } from "./read.ts";

export interface Mount {
  /** Mount point, file system and device; a second mount of the same on the same place gets a number. */
  readonly identity: string;
  readonly root: string;
  readonly point: string;
  readonly type: string;
  readonly source: string;
  readonly superOptions: string;
}

/** The kernel writes space, tab, newline and backslash of a path as three octal digits. */
const unescape = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

export function parseMounts(text: string): Mount[] {
  const seen = new Map<string, number>();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [left = "", right = ""] = line.split(" - ");
      const [, , device = "", root = "", point = ""] = left.split(" ");
      const [type = "", source = "", superOptions = ""] = right.split(" ");
      const name = `${unescape(point)} ${type} ${device}`;
      const number = (seen.get(name) ?? 0) + 1;
      seen.set(name, number);
      return {
        identity: number === 1 ? name : `${name} #${number}`,
        root: unescape(root),
        point: unescape(point),
        type,
        source: unescape(source),
        superOptions,
      };
    });
}

export function readMounts(): Read<Mount[]> {
  const text = readText("/proc/self/mountinfo");
  return text.kind === "read" ? { kind: "read", value: parseMounts(text.value) } : text;
}
