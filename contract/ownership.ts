import type { RunId, Token } from "../schemas/core.ts";

/** Labels that mark what a run made (contract §1). */
export const RUN_LABEL = "sandproof-run";
export const ATTEMPT_LABEL = "sandproof-attempt";
export const BYSTANDER_LABEL = "sandproof-bystander";

export const ownershipLabels = (run: RunId, attempt: Token): Record<string, string> => ({
  [RUN_LABEL]: run,
  [ATTEMPT_LABEL]: attempt,
});

/** For providers without labels: `sp-<first 8 of runId>-<token>`, 28 characters. */
export const ownershipName = (run: RunId, attempt: Token): string => `sp-${run.slice(0, 8)}-${attempt}`;
export const bystanderName = (run: RunId, attempt: Token): string => `spby-${run.slice(0, 8)}-${attempt}`;
