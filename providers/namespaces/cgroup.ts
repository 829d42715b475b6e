/**
 * The cgroup of a sandbox: `<root>/sandproof-<slot>/<id>/{init,exec-…}`. The slot is a lease, taken by an exclusive mkdir, also of
 * a range of user ids; the id below it says whose it is, so that a process that died between the two leaves an empty folder that
 * anybody may take away.
 */
import { randomInt } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pause } from "../../contract/clock.ts";
import { errorCode, isMissing, readIfThere } from "./host.ts";

/** User ids 0x70000000 to 0x7fffffff, which no distribution hands out: 4,096 ranges of 65,536. */
const SLOTS = 4096;
const FIRST_UID = 0x7000_0000;
const UIDS = 65_536;

/** Kill, wait, remove: how often it is looked, and how long at most; ms. */
const LOOK_AGAIN_MS = 2;
export const REMOVE_MS = 15_000;

export const firstUid = (slot: number): number => FIRST_UID + slot * UIDS;
export const leasePath = (root: string, slot: number): string => join(root, `sandproof-${slot}`);
export const cgroupPath = (root: string, sandbox: { slot: number; id: string }): string =>
  join(leasePath(root, sandbox.slot), sandbox.id);

/** A slot that was free just now, or undefined. The lease itself is `lease`. */
export function freeSlot(root: string): number | undefined {
  const from = randomInt(SLOTS);
  for (let i = 0; i < SLOTS; i++) {
    const slot = (from + i) % SLOTS;
    if (!existsSync(leasePath(root, slot))) return slot;
  }
  return undefined;
}

/** False when another process was faster. */
export function lease(root: string, sandbox: { slot: number; id: string }): boolean {
  try {
    mkdirSync(leasePath(root, sandbox.slot));
    mkdirSync(cgroupPath(root, sandbox));
    mkdirSync(join(cgroupPath(root, sandbox), "init"));
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST" || isMissing(error)) return false;
    throw error;
  }
}

export const isPopulated = (cgroup: string): boolean =>
  readIfThere(join(cgroup, "cgroup.events"))?.includes("populated 1") ?? false;

const below = (cgroup: string): string[] => {
  try {
    const entries = readdirSync(cgroup, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map((entry) => join(cgroup, entry.name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
};

/** All cgroups that a sandbox has now: its lease, its own, and those of its commands. */
export function cgroupsOf(root: string, sandbox: { slot: number; id: string }): string[] {
  const own = cgroupPath(root, sandbox);
  return existsSync(own) ? [leasePath(root, sandbox.slot), own, ...below(own)] : [];
}

/** SIGKILL to everything in it and below, in one step where the kernel has `cgroup.kill` (5.14), else one by one. */
export function kill(cgroup: string): void {
  try {
    if (existsSync(join(cgroup, "cgroup.kill"))) return writeFileSync(join(cgroup, "cgroup.kill"), "1");
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  for (const child of below(cgroup)) kill(child);
  for (const pid of readIfThere(join(cgroup, "cgroup.procs"))?.split("\n").filter(Boolean) ?? [])
    killProcess(Number(pid));
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Does nothing where the slot is another sandbox's by now: that one's folder is in it. */
export const returnLease = (root: string, slot: number): boolean => removeFolder(leasePath(root, slot));

/** False while something lives in it. True also when it is not there. */
export function removeEmpty(cgroup: string): boolean {
  for (const child of below(cgroup)) removeEmpty(child);
  return removeFolder(cgroup);
}

function removeFolder(cgroup: string): boolean {
  try {
    rmdirSync(cgroup);
    return true;
  } catch (error) {
    if (isMissing(error)) return true;
    if (["EBUSY", "ENOTEMPTY"].includes(errorCode(error) ?? "")) return false;
    throw error;
  }
}

/** Kills again and again until it is empty and gone; false when `REMOVE_MS` was not enough. */
export async function killAndRemove(cgroup: string): Promise<boolean> {
  const end = performance.now() + REMOVE_MS;
  for (;;) {
    kill(cgroup);
    if (removeEmpty(cgroup)) return true;
    if (performance.now() > end) return false;
    await pause(LOOK_AGAIN_MS);
  }
}
