/** Which processes of this host belong to the run (judging.md §3). Learnt while they live, kept when parents die. */
import { cgroupDirectories } from "./cgroups.ts";
import { type Dwelling, dwellingName, dwellingsOf, inhabitants, stands } from "./dwellings.ts";
import type { Mount } from "./mounts.ts";
import { type HostProcess, living, type ProcessTable } from "./processes.ts";
import { readInode, valueOf } from "./read.ts";

/**
 * A process is ours if its parent is, or its session was begun by one that is (`setsid` and `fork` are the only ways in),
 * or it bears `SANDPROOF_RUN`, or it dwells where a planted token was seen.
 */
export class Ownership {
  readonly #mark: string;
  readonly #owned = new Set<string>();
  readonly #sessions = new Set<number>();
  readonly #dwellings = new Map<string, Dwelling>();
  readonly #byTarget = new Map<string, Map<string, Dwelling>>();
  /** Cgroups in which something of ours was seen, by directory, with the inode. */
  readonly #cgroups = new Map<string, string>();
  readonly #commonNamespaces = new Set<string>();
  readonly #commonCgroups = new Set<string>();
  #unmarked: ReadonlySet<string> = new Set();

  constructor(runId: string) {
    this.#mark = `SANDPROOF_RUN=${runId}`;
  }

  /** Its descendants are ours; what it shares with others is no sign of ownership. */
  adopt(process: HostProcess, mounts: readonly Mount[]): void {
    this.#owned.add(process.identity);
    this.shares(process, mounts);
  }

  shares(process: HostProcess, mounts: readonly Mount[]): void {
    if (process.pidNamespace !== undefined) this.#commonNamespaces.add(process.pidNamespace);
    this.isCommon(process, mounts);
  }

  /** A cgroup that others were in before the run says nothing about who joins it. */
  isCommon(process: HostProcess, mounts: readonly Mount[]): void {
    for (const directory of cgroupDirectories(process.cgroupLines ?? [], mounts)) this.#commonCgroups.add(directory);
  }

  /** Where this planted process lives, kept for its target. */
  plant(process: HostProcess, target: string | undefined, table: ProcessTable, mounts: readonly Mount[]): void {
    for (const found of dwellingsOf(process, table, mounts, this.#commonNamespaces, this.#commonCgroups)) {
      const name = dwellingName(found);
      this.#dwellings.set(name, found);
      if (found.kind === "cgroup") this.#cgroups.set(found.directory, found.inode);
      if (target === undefined) continue;
      const known = this.#byTarget.get(target) ?? new Map<string, Dwelling>();
      known.set(name, found);
      this.#byTarget.set(target, known);
    }
  }

  /** Dwellings of this target alone: what two targets share tells nothing about one. `undefined`: none was learnt. */
  dwellingsOf(target: string): Dwelling[] | undefined {
    const others = [...this.#byTarget].filter(([name]) => name !== target).map(([, known]) => known);
    const own = [...(this.#byTarget.get(target) ?? [])].filter(([name]) => !others.some((known) => known.has(name)));
    return own.length === 0 ? undefined : own.map(([, dwelling]) => dwelling);
  }

  owns(process: HostProcess): boolean {
    return this.#owned.has(process.identity);
  }

  /** Directory to inode. */
  get cgroups(): ReadonlyMap<string, string> {
    return this.#cgroups;
  }

  /** Call often: descent can only be seen while the parent lives. */
  learn(table: ProcessTable, mounts: readonly Mount[]): void {
    for (const [name, dwelling] of this.#dwellings) if (!stands(dwelling, table)) this.#dwellings.delete(name);
    const dwellers = inhabitants([...this.#dwellings.values()], table);
    const unmarked = new Set<string>();
    const asked = new Set<HostProcess>();

    const isOurs = (process: HostProcess | undefined): boolean => {
      if (process === undefined) return false;
      if (this.#owned.has(process.identity)) return true;
      if (asked.has(process)) return false;
      asked.add(process);
      const ours =
        isOurs(table.byPid.get(process.ppid)) ||
        this.#inOurSession(process, table, isOurs) ||
        dwellers.has(process) ||
        this.#isMarked(process, unmarked);
      if (ours) this.#owned.add(process.identity);
      return ours;
    };
    for (const process of table.byPid.values()) {
      if (isOurs(process) && process.session === process.pid) this.#sessions.add(process.pid);
    }
    this.#unmarked = unmarked;
    this.#forgetEmptySessions(table);
    this.#learnCgroups(table, mounts);
  }

  /** A pid is not given away while it names a session, so a session whose leader died is still the same one. */
  #inOurSession(
    process: HostProcess,
    table: ProcessTable,
    isOurs: (leader: HostProcess | undefined) => boolean,
  ): boolean {
    if (process.session === process.pid) return false;
    const leader = table.byPid.get(process.session);
    return leader === undefined ? this.#sessions.has(process.session) : isOurs(leader);
  }

  #forgetEmptySessions(table: ProcessTable): void {
    const open = new Set([...table.byPid.values()].map((process) => process.session));
    for (const session of this.#sessions) if (!open.has(session)) this.#sessions.delete(session);
  }

  /** An environment changes only with an exec, so each one is read once. */
  #isMarked(process: HostProcess, unmarked: Set<string>): boolean {
    const environment = `${process.identity} ${process.environmentStart}`;
    if (!this.#unmarked.has(environment) && process.bears(this.#mark) === true) return true;
    unmarked.add(environment);
    return false;
  }

  #learnCgroups(table: ProcessTable, mounts: readonly Mount[]): void {
    for (const process of living(table)) {
      if (!this.owns(process)) continue;
      for (const directory of cgroupDirectories(process.cgroupLines ?? [], mounts)) {
        const inode = this.#commonCgroups.has(directory) ? undefined : valueOf(readInode(directory));
        if (inode !== undefined) this.#cgroups.set(directory, inode);
      }
    }
  }
}
