import type { Mutant } from "./mutant.ts";
import { adapterMutants } from "./planted/adapter.ts";
import { createMutants } from "./planted/create.ts";
import { destroyMutants } from "./planted/destroy.ts";
import { execMutants } from "./planted/exec.ts";
import { filesMutants } from "./planted/files.ts";

export const MUTANTS: readonly Mutant[] = [
  ...adapterMutants,
  ...createMutants,
  ...destroyMutants,
  ...execMutants,
  ...filesMutants,
];
