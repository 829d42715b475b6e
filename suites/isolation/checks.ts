import type { Check } from "../check.ts";
import { environmentClean } from "./judges/environment.ts";

export const isolationChecks: readonly Check[] = [
  {
    id: "isolation.environment-clean",
    level: "must",
    evidence: ["guest"],
    requirement: "No environment canary of the runner or the adapter is inside.",
    why: "The adapter's environment holds the provider's API key.",
    faults: [],
    judge: environmentClean,
  },
];
