/** `environment.json`: everything that is known of a run before its first event. */
import { release } from "node:os";
import type { RunId } from "../schemas/core.ts";
import type { Description } from "../schemas/description.ts";
import { Environment } from "../schemas/documents.ts";
import { check } from "../schemas/validate.ts";
import type { AdapterSource } from "./adapter-files.ts";
import type { GitState } from "./git-state.ts";
import { version } from "./package.ts";
import type { RunRequest } from "./request.ts";

/** @throws when the document does not fit its schema: an error of ours. */
export function environmentOf(
  runId: RunId,
  request: RunRequest,
  description: Description,
  source: AdapterSource,
  harness: GitState | undefined,
): Environment {
  const { provider, adapter, target, boundary, ownership, capabilities, claims, waits, quotas, cost, guest } =
    description;
  const document = {
    schema: "sandproof-environment/1",
    runId,
    harness: {
      version: version(),
      ...harness,
      node: process.version,
      platform: `${process.platform}-${process.arch}`,
      kernel: release(),
    },
    startedAt: new Date().toISOString(),
    contract: 1,
    profile: request.profile,
    ...(request.selection === undefined ? {} : { selection: request.selection }),
    seed: String(request.seed),
    shard: "0",
    ...(request.challenge === undefined ? {} : { challenge: request.challenge }),
    command: [...request.command],
    provider,
    adapter: { name: adapter.name, version: adapter.version, ...source },
    target,
    boundary,
    minimumBoundary: "shared-kernel",
    ownership,
    ephemeral: description.ephemeral,
    capabilities,
    claims,
    waits,
    quotas,
    cost,
    guest,
    budget: request.budget,
    ...(request.allow === undefined ? {} : { allow: request.allow }),
    passEnv: request.passEnv.map(({ name }) => name),
  };
  const checked = check(Environment, document);
  if (!checked.ok) throw new Error(`environment.json does not fit its schema: ${checked.problem}`);
  return checked.value;
}
