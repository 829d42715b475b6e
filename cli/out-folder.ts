import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { makeFolders, removeFolders } from "../history/state-folder.ts";
import { UsageError } from "./usage.ts";

export interface OutFolder {
  /** Where the evidence will stand. */
  readonly out: string;
  /** Where it is written until it is whole. */
  readonly partial: string;
  /** Removes what was made here and holds nothing, for a run that never began. */
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
  let made: readonly string[];
  try {
    made = makeFolders(`${partial}/history`);
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    throw new UsageError(`${out} cannot be written (${why}).`, "Give an --out in a folder that you can write to.");
  }
  return { out, partial, abandon: () => removeFolders(made) };
}
