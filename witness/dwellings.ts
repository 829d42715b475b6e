/** The PID namespace and cgroups a planted process was seen in: they tell a sandbox's other processes. */
import { posix } from "node:path";
import { cgroupDirectories, cgroupMembers } from "./cgroups.ts";
import type { Mount } from "./mounts.ts";
import { type HostProcess, living, type ProcessTable } from "./processes.ts";
import { readFolders, readInode, valueOf } from "./read.ts";

export type Dwelling =
  /** The kernel gives a dead namespace's number away again at once: only with its init does it name one namespace. */
  | { readonly kind: "pid-namespace"; readonly namespace: string; readonly init: string | undefined }
  | { readonly kind: "cgroup"; readonly directory: string; readonly inode: string };

export const dwellingName = (dwelling: Dwelling): string =>
  dwelling.kind === "pid-namespace"
    ? `${dwelling.namespace} ${dwelling.init ?? ""}`
    : `${dwelling.directory} ${dwelling.inode}`;

const initOf = (namespace: string, table: ProcessTable): string | undefined =>
  [...table.byPid.values()].find((process) => process.pidNamespace === namespace && process.innermostPid === 1)
    ?.identity;

/** What is not shared with the harness: `commonNamespaces` and `commonCgroups` are never learnt. */
export function dwellingsOf(
  process: HostProcess,
  table: ProcessTable,
  mounts: readonly Mount[],
  commonNamespaces: ReadonlySet<string>,
  commonCgroups: ReadonlySet<string>,
): Dwelling[] {
  const dwellings: Dwelling[] = [];
  const namespace = process.pidNamespace;
  if (namespace !== undefined && !commonNamespaces.has(namespace)) {
    dwellings.push({ kind: "pid-namespace", namespace, init: initOf(namespace, table) });
  }
  for (const directory of cgroupDirectories(process.cgroupLines ?? [], mounts)) {
    const inode = commonCgroups.has(directory) ? undefined : valueOf(readInode(directory));
    if (inode !== undefined) dwellings.push({ kind: "cgroup", directory, inode });
  }
  return dwellings;
}

/**
 * Whether it is still the one that was learnt. A namespace's init outlives every other member, so a namespace whose init
 * was reaped is gone, whatever its number names now.
 */
export function stands(dwelling: Dwelling, table: ProcessTable): boolean {
  if (dwelling.kind === "cgroup") return valueOf(readInode(dwelling.directory)) === dwelling.inode;
  if (dwelling.init === undefined) return true;
  return table.byPid.get(Number.parseInt(dwelling.init, 10))?.identity === dwelling.init;
}

function membersBelow(directory: string): number[] {
  const below = valueOf(readFolders(directory)) ?? [];
  return [...(cgroupMembers(directory) ?? []), ...below.flatMap((name) => membersBelow(posix.join(directory, name)))];
}

/** Processes that have not ended in dwellings that stand; a cgroup counts with all below it. */
export function inhabitants(dwellings: readonly Dwelling[], table: ProcessTable): Set<HostProcess> {
  const namespaces = new Set<string>();
  const pids = new Set<number>();
  for (const dwelling of dwellings) {
    if (dwelling.kind === "pid-namespace") namespaces.add(dwelling.namespace);
    else for (const pid of membersBelow(dwelling.directory)) pids.add(pid);
  }
  if (namespaces.size === 0 && pids.size === 0) return new Set();
  return new Set(
    living(table).filter(
      (process) =>
        pids.has(process.pid) ||
        (namespaces.size > 0 && process.pidNamespace !== undefined && namespaces.has(process.pidNamespace)),
    ),
  );
}
