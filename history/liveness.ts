/** Whether the process that wrote a journal still lives, asked of /proc. */
import { readFileSync, readlinkSync } from "node:fs";

export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of its stat: clock ticks between boot and its start. A pid alone may have been given out again. */
  readonly startTime: string;
  readonly bootId: string;
  /** `pid:[inode]`: the pid means something only there. */
  readonly pidNamespace: string;
}

interface Stat {
  readonly pid: number;
  readonly state: string;
  readonly flags: number;
  readonly startTime: string;
}

const PF_EXITING = 0x4;
const ENDED_STATES: ReadonlySet<string> = new Set(["Z", "X", "x"]);

export function thisProcess(): ProcessIdentity {
  const stat = readStat("self");
  if (stat === undefined) throw new Error("/proc/self/stat cannot be read: is /proc mounted?");
  return { pid: stat.pid, startTime: stat.startTime, ...thisPlace() };
}

/** The start time of a process that we started, or undefined when it is gone already. */
export const startTimeOf = (pid: number): string | undefined => readStat(String(pid))?.startTime;

/**
 * `elsewhere`: another boot, host or PID namespace, where our /proc says nothing about it.
 * An ending process (zombie, dead, PF_EXITING) counts as dead.
 */
export function isAlive(identity: ProcessIdentity): "alive" | "dead" | "elsewhere" {
  const here = thisPlace();
  if (identity.bootId !== here.bootId || identity.pidNamespace !== here.pidNamespace) return "elsewhere";
  const stat = readStat(String(identity.pid));
  if (stat === undefined || stat.startTime !== identity.startTime) return "dead";
  return ENDED_STATES.has(stat.state) || (stat.flags & PF_EXITING) !== 0 ? "dead" : "alive";
}

const thisPlace = (): Pick<ProcessIdentity, "bootId" | "pidNamespace"> => ({
  bootId: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(),
  pidNamespace: readlinkSync("/proc/self/ns/pid"),
});

function readStat(process: string): Stat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${process}/stat`, "utf8"));
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH");

/** The second field is the command in brackets, and may itself hold brackets and spaces: fields count from its last `)`. */
export function parseStat(text: string): Stat {
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): string => {
    const value = fields[number - 3];
    if (value === undefined) throw new Error(`a stat line without field ${number}`);
    return value;
  };
  return { pid: Number.parseInt(text, 10), state: field(3), flags: Number(field(9)), startTime: field(22) };
}
