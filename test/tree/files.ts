import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dirname, "..", "..");

const NOT_OURS: ReadonlySet<string> = new Set(["node_modules", "dist", ".git", "sandproof-runs"]);

/** Paths below the repository's root, written with `/`. */
export const treeFiles = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: ROOT, exclude: (name) => NOT_OURS.has(name) })
    .map((path) => path.replaceAll("\\", "/"))
    .sort();

export const readTree = (path: string): string => readFileSync(join(ROOT, path), "utf8");
