import type { RunId, Token } from "../schemas/core.ts";

/** Labels that mark what a run made (contract §1). */
export const RUN_LABEL = "sandproof-run";
export const ATTEMPT_LABEL = "sandproof-attempt";
export const BYSTANDER_LABEL = "sandproof-bystander";

export const ownershipLabels = (run: RunId, attempt: Token): Record<string, string> => ({
  [RUN_LABEL]: run,
  [ATTEMPT_LABEL]: attempt,
});

/** What every name of a run's subjects begins with. */
export const namePrefix = (run: RunId): string => `sp-${run.slice(0, 8)}-`;

/** The token at the end of a name that the harness gave; any text elsewhere. */
export const tokenOfName = (name: string): string => name.slice(name.lastIndexOf("-") + 1);

/** For providers without labels: `sp-<first 8 of runId>-<token>`, 28 characters. */
export const ownershipName = (run: RunId, attempt: Token): string => `${namePrefix(run)}${attempt}`;
export const bystanderName = (run: RunId, attempt: Token): string => `spby-${run.slice(0, 8)}-${attempt}`;
