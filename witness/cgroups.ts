/** Cgroup directories on this host, version 1 and 2, by what mountinfo says. */
import { posix } from "node:path";
import type { Mount } from "./mounts.ts";
import { readFolders, readInode, readText, valueOf } from "./read.ts";

/** A walk stops here, and the plane counts as not readable. */
const MAX_DIRECTORIES = 20_000;

export interface CgroupTree {
  readonly readable: boolean;
  /** Directory to inode: the same name made again is another cgroup. */
  readonly directories: ReadonlyMap<string, string>;
}

const isCgroup = (mount: Mount): boolean => mount.type === "cgroup" || mount.type === "cgroup2";

export const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);

export function readCgroups(mounts: readonly Mount[]): CgroupTree {
  const directories = new Map<string, string>();
  let readable = true;
  const open = mounts.filter(isCgroup).map((mount) => mount.point);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (directories.has(path)) continue;
    if (directories.size >= MAX_DIRECTORIES) return { readable: false, directories };
    const inode = readInode(path);
    const names = readFolders(path);
    if (inode.kind === "refused" || names.kind === "refused") readable = false;
    if (inode.kind === "read") directories.set(path, inode.value);
    if (names.kind === "read") open.push(...names.value.map((name) => posix.join(path, name)));
  }
  return { readable, directories };
}

/** Whether a mount shows the hierarchy that a line of /proc/<pid>/cgroup speaks of. */
function shows(mount: Mount, controllers: string): boolean {
  if (controllers === "") return mount.type === "cgroup2";
  const options = mount.superOptions.split(",");
  return mount.type === "cgroup" && controllers.split(",").every((controller) => options.includes(controller));
}

/** Directories of the cgroups that the lines of /proc/<pid>/cgroup name, as far as they are mounted here. */
export function cgroupDirectories(lines: readonly string[], mounts: readonly Mount[]): string[] {
  return lines.flatMap((line) => {
    const [, controllers = "", ...rest] = line.split(":");
    const path = rest.join(":");
    return mounts
      .filter((mount) => isCgroup(mount) && shows(mount, controllers) && isBelow(path, mount.root))
      .map((mount) => posix.join(mount.point, posix.relative(mount.root, path)));
  });
}

/** Pids directly in one cgroup; `undefined` when that cannot be read (a threaded cgroup, or gone). */
export const cgroupMembers = (directory: string): number[] | undefined =>
  valueOf(readText(posix.join(directory, "cgroup.procs")))
    ?.split("\n")
    .filter((text) => text !== "")
    .map(Number);
