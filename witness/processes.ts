/** The host's process table, read from /proc. Kernel threads are left out. */
import { type Read, readLine, readNames, readTarget, readText, valueOf } from "./read.ts";

/** Flags of field 9 of `stat` (Linux, include/linux/sched.h). */
const PF_EXITING = 0x4;
const PF_KTHREAD = 0x20_0000;

export type Namespace = "pid" | "net" | "mnt";

/**
 * One process at one moment. `stat` is read at once, everything else when it is asked for. A part that is not readable
 * (permission, or gone meanwhile) is `undefined`.
 */
export class HostProcess {
  readonly pid: number;
  readonly ppid: number;
  readonly session: number;
  /** Field 22: clock ticks since boot, as the kernel prints them. */
  readonly startTime: string;
  readonly state: string;
  readonly flags: number;
  /** Changes with every exec: with the identity, it names one environment. */
  readonly environmentStart: string;
  #pidNamespace: string | undefined;

  constructor(pid: number, fields: readonly string[]) {
    this.pid = pid;
    this.state = fields[0] ?? "";
    this.ppid = Number(fields[1]);
    this.session = Number(fields[3]);
    this.flags = Number(fields[6]);
    this.startTime = fields[19] ?? "";
    this.environmentStart = fields[47] ?? "";
  }

  /** `pid@starttime`: a reused pid is another process. */
  get identity(): string {
    return `${this.pid}@${this.startTime}`;
  }

  get commandLine(): readonly string[] | undefined {
    const text = valueOf(readText(`/proc/${this.pid}/cmdline`));
    return text?.replace(/\0$/, "").split("\0");
  }

  /** A process stays all its life in the PID namespace it was born in, so it is read once. */
  get pidNamespace(): string | undefined {
    this.#pidNamespace ??= this.namespace("pid");
    return this.#pidNamespace;
  }

  namespace(kind: Namespace): string | undefined {
    return valueOf(readTarget(`/proc/${this.pid}/ns/${kind}`));
  }

  /** Lines of /proc/<pid>/cgroup, `hierarchy:controllers:path`. */
  get cgroupLines(): readonly string[] | undefined {
    return valueOf(readText(`/proc/${this.pid}/cgroup`))
      ?.split("\n")
      .filter((text) => text !== "");
  }

  /** Its pid in its own namespace: 1 for the namespace's init. */
  get innermostPid(): number | undefined {
    const status = valueOf(readText(`/proc/${this.pid}/status`));
    const last = status?.match(/^NSpid:.*?(\d+)$/m)?.[1];
    return last === undefined ? undefined : Number(last);
  }

  /** Whether the environment it was executed with holds `NAME=value` as one whole entry. */
  bears(entry: string): boolean | undefined {
    return valueOf(readText(`/proc/${this.pid}/environ`))
      ?.split("\0")
      .includes(entry);
  }

  /** Takes over what cannot change, from an earlier reading of the same process. */
  inherit(earlier: HostProcess): void {
    this.#pidNamespace = earlier.#pidNamespace;
  }
}

/** A process has ended when it is a zombie, dead or exiting; an absent one has none to ask (judging.md §3). */
export const hasEnded = (process: HostProcess): boolean =>
  process.state === "Z" || process.state === "X" || (process.flags & PF_EXITING) !== 0;

/** `gone` also for a process that vanishes while it is read. */
export function readProcess(pid: number): Read<HostProcess> {
  const stat = readLine(`/proc/${pid}/stat`);
  if (stat.kind !== "read") return stat;
  // The name in brackets may hold spaces and brackets: fields are counted from the last one.
  const end = stat.value.lastIndexOf(")");
  if (end < 0) return { kind: "gone" };
  return {
    kind: "read",
    value: new HostProcess(
      pid,
      stat.value
        .slice(end + 2)
        .trimEnd()
        .split(" "),
    ),
  };
}

export interface ProcessTable {
  /** False when other users' processes are hidden (hidepid), or /proc is absent or shows another PID namespace. */
  readonly readable: boolean;
  readonly byPid: ReadonlyMap<number, HostProcess>;
}

/** `earlier` saves reading again what cannot change. */
export function readProcesses(earlier?: ProcessTable): ProcessTable {
  const names = readNames("/proc");
  const byPid = new Map<number, HostProcess>();
  if (names.kind !== "read") return { readable: false, byPid };
  let readable = names.value.includes("1") && valueOf(readTarget("/proc/self")) === String(process.pid);
  for (const name of names.value) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const found = readProcess(pid);
    if (found.kind === "refused") readable = false;
    if (found.kind !== "read" || (found.value.flags & PF_KTHREAD) !== 0) continue;
    const before = earlier?.byPid.get(pid);
    if (before !== undefined && before.startTime === found.value.startTime) found.value.inherit(before);
    byPid.set(pid, found.value);
  }
  return { readable, byPid };
}

/** Those that have not ended. */
export const living = (table: ProcessTable): HostProcess[] =>
  [...table.byPid.values()].filter((process) => !hasEnded(process));

/** The process and its ancestors, as far as the table shows them. */
export function* lineage(pid: number, table: ProcessTable): Generator<HostProcess> {
  const seen = new Set<number>();
  let process = table.byPid.get(pid);
  while (process !== undefined && !seen.has(process.pid)) {
    seen.add(process.pid);
    yield process;
    process = table.byPid.get(process.ppid);
  }
}
