import { existsSync, mkdirSync, rmdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { UsageError } from "./usage.ts";

export interface OutFolder {
  /** Where the evidence will stand. */
  readonly out: string;
  /** Where it is written until it is whole. */
  readonly partial: string;
  /** Removes what was made here, for a run that never began. */
  abandon(): void;
}

/** Makes `<out>.partial` with its `history` folder. Throws `UsageError` with nothing made when it cannot. */
export function claimOutFolder(given: string | undefined, runId: string): OutFolder {
  const out = resolve(given ?? `sandproof-runs/${runId}`);
  const partial = `${out}.partial`;
  for (const path of [out, partial]) {
    if (existsSync(path))
      throw new UsageError(
        `${path} exists already.`,
        "Evidence is never overwritten: give another --out, or remove it.",
      );
  }
  let first: string | undefined;
  try {
    first = mkdirSync(`${partial}/history`, { recursive: true });
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new UsageError(`${out} cannot be written (${why}).`, "Give an --out in a folder that you can write to.");
  }
  return {
    out,
    partial,
    abandon() {
      if (first === undefined) return;
      // Only folders that were made here and hold nothing.
      for (let folder = `${partial}/history`; folder.length >= first.length; folder = dirname(folder)) {
        if (!removeEmpty(folder)) return;
      }
    },
  };
}

function removeEmpty(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOTEMPTY" || error.code === "EEXIST"))
      return false;
    throw error;
  }
}
