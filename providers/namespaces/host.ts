/** What this host gives: where the unified cgroup hierarchy is, where state is kept, whether a process lives. */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Mount point of cgroup v2, or undefined when it is not mounted. */
export function cgroupRoot(mounts = readFileSync("/proc/self/mounts", "utf8")): string | undefined {
  const line = mounts.split("\n").find((line) => line.split(" ")[2] === "cgroup2");
  return line
    ?.split(" ")[1]
    ?.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** Parent of all sandboxes' folders; made on demand, removed when the last one has gone. */
export const stateHome = (): string =>
  join(process.env["XDG_STATE_HOME"] || join(homedir(), ".local", "state"), "sandproof-namespaces");

export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of `/proc/<pid>/stat`: clock ticks since boot. Tells a process from a later one of the same number. */
  readonly start: string;
}

const PF_EXITING = 0x4;

/** False when it is gone, a zombie, or past the point of no return: the host's pid 1 may reap seconds later. */
export function lives({ pid, start }: ProcessIdentity): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.start === start && !"ZX".includes(stat.state) && (stat.flags & PF_EXITING) === 0;
}

function statOf(pid: number): { state: string; flags: number; start: string } | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { state: fields[0] ?? "X", flags: Number(fields[6]), start: fields[19] ?? "" };
}

/** This process. */
export const self = (): ProcessIdentity => ({ pid: process.pid, start: statOf(process.pid)?.start ?? "" });

/** Content of a file, or undefined when it, its folder or its process is not there. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** ESRCH and ENODEV: the process, or the cgroup, went away between open and read. */
export const isMissing = (error: unknown): boolean => ["ENOENT", "ESRCH", "ENODEV"].includes(errorCode(error) ?? "");
