/** Which processes count as bearing a planted token. */
import { type HostProcess, lineage, type ProcessTable } from "./processes.ts";

export interface Bearer {
  readonly process: HostProcess;
  /** In a PID namespace that is known and not the harness's. */
  readonly inside: boolean;
}

export const tokenBearers = (
  token: string,
  processes: readonly HostProcess[],
  harnessNamespace: string | undefined,
): Bearer[] =>
  processes
    .filter((process) => process.commandLine?.some((argument) => argument.includes(token)))
    .map((process) => {
      const namespace = process.pidNamespace;
      return { process, inside: namespace !== undefined && namespace !== harnessNamespace };
    });

/** Those with another bearer among their descendants: they only pass the argument on. */
export function wrappers(bearers: readonly Bearer[], table: ProcessTable): ReadonlySet<Bearer> {
  const ancestors = new Set(bearers.flatMap(({ process }) => [...lineage(process.ppid, table)]));
  return new Set(bearers.filter(({ process }) => ancestors.has(process)));
}
