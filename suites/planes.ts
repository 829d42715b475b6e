/** The host table's planes at the moments that scenarios framed. */

import type { Pseudonym } from "../schemas/core.ts";
import type { HostPlane } from "../schemas/documents.ts";
import type { Evidence } from "./check.ts";

export interface Frame {
  readonly readable: boolean;
  readonly ours: ReadonlySet<Pseudonym>;
  readonly others: number;
}

export function frame(evidence: Evidence, moment: string, plane: HostPlane): Frame | undefined {
  const record = evidence.witness("plane").findLast((r) => r.value.moment === moment && r.value.plane === plane);
  if (record === undefined) return undefined;
  const { readable, ours, others } = record.value;
  return { readable, ours: new Set(ours), others };
}

/** Providers whose sandboxes are things of this host; of others the planes show only what the adapter leaves on the runner. */
export const onThisHost = ({ environment }: Evidence): boolean => environment.target.endpointClass === "this-host";

export const HOST_PLANES: readonly HostPlane[] = [
  "processes",
  "mounts",
  "network-devices",
  "cgroups",
  "temp-entries",
  "local-state",
];

/** Items of the run that are there at `after` and were not at `before`, over the planes; undefined without both frames. */
export function appeared(
  evidence: Evidence,
  before: string,
  after: string,
  planes: readonly HostPlane[] = HOST_PLANES,
): Pseudonym[] | undefined {
  const found: Pseudonym[] = [];
  for (const plane of planes) {
    const earlier = frame(evidence, before, plane);
    const later = frame(evidence, after, plane);
    if (earlier?.readable !== true || later?.readable !== true) return undefined;
    found.push(...[...later.ours].filter((item) => !earlier.ours.has(item)));
  }
  return found;
}
