/** One reading of this host: what a run could leave behind on it, plane by plane. */
import { tmpdir } from "node:os";
import { posix } from "node:path";
import { type CgroupTree, readCgroups } from "./cgroups.ts";
import { type Mount, readMounts } from "./mounts.ts";
import { type ProcessTable, readProcesses } from "./processes.ts";
import { readNames, readText } from "./read.ts";

export interface HostReading {
  readonly processes: ProcessTable;
  readonly mounts: { readonly readable: boolean; readonly items: readonly Mount[] };
  readonly networkDevices: Names;
  readonly cgroups: CgroupTree;
  /** Absolute paths of the entries directly in temp folders. */
  readonly tempEntries: Names;
}

export interface Names {
  readonly readable: boolean;
  readonly items: readonly string[];
}

const TEMP_FOLDERS = ["/tmp", "/var/tmp", "/dev/shm"];

/** Devices of the harness's own network namespace; /sys/class/net can show another one's. */
function readNetworkDevices(): Names {
  const text = readText("/proc/self/net/dev");
  if (text.kind !== "read") return { readable: false, items: [] };
  const items = text.value.split("\n").flatMap((line) => /^\s*([^\s:|]+):/.exec(line)?.[1] ?? []);
  return { readable: true, items };
}

function readTempEntries(): Names {
  let readable = true;
  const items = [...new Set([tmpdir(), ...TEMP_FOLDERS])].flatMap((folder) => {
    const names = readNames(folder);
    if (names.kind === "refused") readable = false;
    return names.kind === "read" ? names.value.map((name) => posix.join(folder, name)) : [];
  });
  return { readable, items };
}

/** Source: /proc and the file system only, no tool. `earlier` saves reading again what cannot change. */
export function readHost(earlier?: ProcessTable): HostReading {
  const mounts = readMounts();
  const items = mounts.kind === "read" ? mounts.value : [];
  const cgroups = readCgroups(items);
  return {
    processes: readProcesses(earlier),
    mounts: { readable: mounts.kind === "read", items },
    networkDevices: readNetworkDevices(),
    cgroups: { ...cgroups, readable: mounts.kind === "read" && cgroups.readable },
    tempEntries: readTempEntries(),
  };
}
