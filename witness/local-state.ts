/** What an adapter keeps on the runner: entries of its scratch folders and of the places it declared. */
import { globSync } from "node:fs";
import { homedir } from "node:os";
import { posix } from "node:path";
import type { Names } from "./host.ts";
import { readFolders, readNames } from "./read.ts";

/** More entries than this are not read, and the plane counts as not readable. */
const MAX_ENTRIES = 20_000;

const fromHome = (glob: string): string => (glob.startsWith("~/") ? posix.join(homedir(), glob.slice(2)) : glob);

/**
 * Absolute paths below the folders, and of all that matches a glob, with what is below that. The folders themselves are
 * the harness's and not listed; links are listed, never followed.
 */
export function readLocalState(folders: Iterable<string>, globs: Iterable<string>): Names {
  const items = new Set<string>();
  let readable = true;
  const open = [...folders];
  for (const glob of globs) {
    for (const match of globSync(fromHome(glob))) {
      const path = posix.resolve(match);
      items.add(path);
      open.push(path);
    }
  }
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const base = folder;
    const names = readNames(base);
    const below = readFolders(base);
    if (names.kind === "refused" || below.kind === "refused" || items.size > MAX_ENTRIES) readable = false;
    if (items.size > MAX_ENTRIES) break;
    if (names.kind === "read") for (const name of names.value) items.add(posix.join(base, name));
    if (below.kind === "read") open.push(...below.value.map((name) => posix.join(base, name)));
  }
  return { readable, items: [...items] };
}
