import type { Mutant } from "./mutant.ts";
import { adapterMutants } from "./planted/adapter.ts";
import { createMutants } from "./planted/create.ts";
import { destroyMutants } from "./planted/destroy.ts";
import { execMutants } from "./planted/exec.ts";
import { filesMutants } from "./planted/files.ts";

/** Checks that look at what is found again, removed and left. */
const CLEAN_UP = [
  "adapter.definite-honest",
  "lifecycle.create-failed-clean",
  "lifecycle.destroy-ends",
  "lifecycle.destroy-stops-processes",
  "lifecycle.destroy-truthful",
  "lifecycle.lost-create-found",
  "lifecycle.restart-recovers",
  "residue.after-partial-failure",
  "residue.companions",
  "residue.ended-natively",
  "residue.inventory",
  "residue.local-state",
  "residue.processes",
];

const withCleanUp = (mutant: Mutant): Mutant => {
  if (mutant.spoilsCleanUp !== true) return mutant;
  const also = new Set([...mutant.also, ...CLEAN_UP]);
  return { ...mutant, also: [...also].filter((id) => !mutant.expected.includes(id)) };
};

export const MUTANTS: readonly Mutant[] = [
  ...adapterMutants,
  ...createMutants,
  ...destroyMutants,
  ...execMutants,
  ...filesMutants,
].map(withCleanUp);
