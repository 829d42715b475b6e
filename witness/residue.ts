/** What is new on this host since the run began, and which of it is the run's. */
import type { HostPlane } from "../schemas/documents.ts";
import { cgroupMembers, isBelow } from "./cgroups.ts";
import type { HostReading, Names } from "./host.ts";
import type { Ownership } from "./ownership.ts";
import { type HostProcess, hasEnded, living } from "./processes.ts";

export interface Item {
  readonly identity: string;
  /** For the terminal only: holds names of this machine. */
  readonly description: string;
}

export interface PlaneReading {
  readonly plane: HostPlane;
  readonly readable: boolean;
  readonly ours: readonly Item[];
  /** New, and not attributable. */
  readonly others: number;
}

/** Everything there is, by plane: what a later reading is compared with. */
export type Baseline = Readonly<Record<HostPlane, ReadonlySet<string>>>;

/** Signs by which a thing without a process is known as ours. */
export interface Signs {
  readonly runId: string;
  readonly tokens: ReadonlySet<string>;
  readonly scratch: ReadonlySet<string>;
}

/** A network device has 15 characters: names are made of the first 8 (40 bits) of a run id or a token. */
const SHORT_NAME = 8;

const cgroupName = (directory: string, inode: string): string => `${directory} ${inode}`;

export const baselineOf = (host: HostReading, localState: Names): Baseline => ({
  processes: new Set([...host.processes.byPid.values()].map((process) => process.identity)),
  mounts: new Set(host.mounts.items.map((mount) => mount.identity)),
  "network-devices": new Set(host.networkDevices.items),
  cgroups: new Set([...host.cgroups.directories].map(([directory, inode]) => cgroupName(directory, inode))),
  "temp-entries": new Set(host.tempEntries.items),
  "local-state": new Set(localState.items),
});

interface Found extends Item {
  readonly ours: boolean;
}

function planeOf(plane: HostPlane, readable: boolean, found: readonly Found[], baseline: Baseline): PlaneReading {
  const fresh = found.filter((item) => !baseline[plane].has(item.identity));
  const ours = fresh.filter((item) => item.ours);
  return { plane, readable, ours, others: fresh.length - ours.length };
}

const describe = (process: HostProcess): string =>
  `${process.pid} ${process.state} ${process.commandLine?.join(" ").trim() ?? ""}`;

/**
 * Processes: by `ownership`. Cgroups: new, and at, below or above one in which something of ours was seen, with no
 * process of others in it; or named by a sign. Mounts, devices, temp entries: by a sign in path, source, options or
 * name. An entry that holds a scratch folder is the harness's own, and its content is judged as local state.
 */
export function residueOf(
  host: HostReading,
  localState: Names,
  baseline: Baseline,
  ownership: Ownership,
  signs: Signs,
  excused: (process: HostProcess) => boolean,
): PlaneReading[] {
  const names = [signs.runId, ...signs.tokens];
  const scratch = [...signs.scratch];
  const isNamed = (text: string): boolean => names.some((name) => text.includes(name));
  const isNamedOrInScratch = (text: string): boolean =>
    isNamed(text) || scratch.some((folder) => text.includes(folder));
  const isShortNamed = (text: string): boolean => names.some((name) => text.includes(name.slice(0, SHORT_NAME)));

  const processes = living(host.processes)
    .filter((process) => !excused(process))
    .map((process) => ({
      identity: process.identity,
      description: ownership.owns(process) ? describe(process) : "",
      ours: ownership.owns(process),
    }));
  const mounts = host.mounts.items.map((mount) => ({
    identity: mount.identity,
    description: mount.identity,
    ours: [mount.point, mount.root, mount.source, mount.superOptions].some(isNamedOrInScratch),
  }));
  const devices = host.networkDevices.items.map((name) => ({
    identity: name,
    description: name,
    ours: isShortNamed(name),
  }));
  const entries = host.tempEntries.items
    .filter((path) => !scratch.some((folder) => isBelow(folder, path)))
    .map((path) => ({ identity: path, description: path, ours: isNamed(path) }));
  const state = localState.items.map((path) => ({ identity: path, description: path, ours: true }));

  return [
    planeOf("processes", host.processes.readable, processes, baseline),
    planeOf("mounts", host.mounts.readable, mounts, baseline),
    planeOf("network-devices", host.networkDevices.readable, devices, baseline),
    planeOf("cgroups", host.cgroups.readable, cgroupsOf(host, baseline, ownership, isNamed), baseline),
    planeOf("temp-entries", host.tempEntries.readable, entries, baseline),
    planeOf("local-state", localState.readable, state, baseline),
  ];
}

function cgroupsOf(
  host: HostReading,
  baseline: Baseline,
  ownership: Ownership,
  isNamed: (text: string) => boolean,
): Found[] {
  const { directories } = host.cgroups;
  const seen = [...ownership.cgroups].filter(([directory, inode]) => {
    const now = directories.get(directory);
    // Gone meanwhile: still a sign for the folder above it. Made again by somebody: none.
    return now === undefined || now === inode;
  });
  const isOfOthers = (pid: number): boolean => {
    const process = host.processes.byPid.get(pid);
    return process !== undefined && !hasEnded(process) && !ownership.owns(process);
  };
  return [...directories]
    .filter(([directory, inode]) => !baseline.cgroups.has(cgroupName(directory, inode)))
    .map(([directory, inode]) => {
      const isRelated = () => seen.some(([path]) => isBelow(directory, path) || isBelow(path, directory));
      const isShared = () =>
        [...directories.keys()].some(
          (path) => isBelow(path, directory) && (cgroupMembers(path) ?? []).some(isOfOthers),
        );
      return {
        identity: cgroupName(directory, inode),
        description: directory,
        ours: isNamed(directory) || (isRelated() && !isShared()),
      };
    });
}
