import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { cgroupDirectories } from "../../witness/cgroups.ts";
import { parseMounts, readMounts } from "../../witness/mounts.ts";
import { readProcess } from "../../witness/processes.ts";
import { valueOf } from "../../witness/read.ts";
import { isLive, isRoot, kill, lastPlane, launch, newToken, scene, until, word } from "./support.ts";

const cgroupRoot = (valueOf(readMounts()) ?? []).find((mount) => mount.type === "cgroup2")?.point;

describe("planes of the host", () => {
  test("mountinfo is read with escapes, and a second mount on the same place is another", () => {
    const line = "30 25 0:27 / /a\\040b rw shared:1 - tmpfs none rw,size=4k";
    const [first, second] = parseMounts(`${line}\n${line}\n`);
    expect(first).toMatchObject({
      identity: "/a b tmpfs 0:27",
      point: "/a b",
      source: "none",
      superOptions: "rw,size=4k",
    });
    expect(second?.identity).toBe("/a b tmpfs 0:27 #2");
  });

  test("a cgroup line is found below the mount of its hierarchy only", () => {
    const mounts = parseMounts(
      "1 0 0:1 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n2 0 0:2 /pod /cg/all rw - cgroup2 cgroup2 rw\n",
    );
    expect(cgroupDirectories(["3:cpu,cpuacct:/x", "0::/pod/y", "0::/other", "4:pids:/x"], mounts)).toEqual([
      "/cg/cpu/x",
      "/cg/all/y",
    ]);
  });

  test.skipIf(!isRoot || cgroupRoot === undefined)("a cgroup is ours when something of ours was in it", async () => {
    const of = scene();
    const group = join(cgroupRoot ?? "", `witness-test-${word(8)}`);
    const foreign = join(cgroupRoot ?? "", `witness-test-${word(8)}`);
    of.witness.frame("before");
    mkdirSync(join(group, "inner"), { recursive: true });
    mkdirSync(foreign);
    onTestFinished(() => {
      for (const folder of [join(group, "inner"), group, foreign]) rmSync(folder, { recursive: false, force: true });
    });
    const adapter = launch(["sleep", "300"]);
    of.witness.adopt(adapter.pid);
    writeFileSync(join(group, "inner", "cgroup.procs"), String(adapter.pid));
    of.witness.sample();
    kill(adapter.pid);
    await until("its end", () => !isLive(adapter.pid));
    of.witness.frame("after");
    expect(lastPlane(of, "cgroups").ours).toHaveLength(2);
    expect(lastPlane(of, "cgroups").others).toBeGreaterThanOrEqual(1);
    await until("it is empty", () => readProcess(adapter.pid).kind === "gone");
    for (const folder of [join(group, "inner"), group, foreign]) rmdirSync(folder);
    of.witness.frame("later");
    expect(lastPlane(of, "cgroups").ours).toEqual([]);
  });

  test.skipIf(!isRoot || cgroupRoot === undefined)("a cgroup with a process of others in it is not ours", async () => {
    const of = scene();
    const group = join(cgroupRoot ?? "", `witness-test-${word(8)}`);
    of.witness.frame("before");
    mkdirSync(group);
    onTestFinished(() => rmdirSync(group));
    const [adapter, foreign] = [launch(["sleep", "300"]), launch(["sleep", "300"])];
    of.witness.adopt(adapter.pid);
    for (const { pid } of [adapter, foreign]) writeFileSync(join(group, "cgroup.procs"), String(pid));
    expect(of.witness.left()).toEqual([]);
    kill(foreign.pid);
    await until("its end", () => !isLive(foreign.pid));
    expect(of.witness.left()).toEqual([{ kind: "cgroups", description: group }]);
    kill(adapter.pid);
    await until("both are gone", () => [adapter, foreign].every(({ pid }) => readProcess(pid).kind === "gone"));
  });

  test.skipIf(!isRoot || cgroupRoot === undefined)("a token's cgroup tells its target's processes", async () => {
    const of = scene();
    const group = join(cgroupRoot ?? "", `witness-test-${word(8)}`);
    of.witness.frame("before");
    mkdirSync(group);
    onTestFinished(() => rmdirSync(group));
    const token = newToken();
    const bearer = launch(["sh", "-c", "read go; sleep 300; :", token]);
    const other = launch(["sleep", "300"]);
    for (const { pid } of [bearer, other]) writeFileSync(join(group, "cgroup.procs"), String(pid));
    await until("exec", () => of.witness.token(token, "s1") === 1);
    expect(of.witness.native("s1")).toEqual({ target: "s1", live: true, items: 2 });
    kill(bearer.pid);
    await until("its end", () => !isLive(bearer.pid));
    expect(of.witness.native("s1")).toEqual({ target: "s1", live: true, items: 1 });
    of.witness.frame("after");
    expect(lastPlane(of, "processes").ours).toEqual([of.nameOf(other.pid)]);
    kill(other.pid);
    await until("both are gone", () => [bearer, other].every(({ pid }) => readProcess(pid).kind === "gone"));
    expect(of.witness.native("s1")).toEqual({ target: "s1", live: false, items: 0 });
  });

  test.skipIf(!isRoot)("a mount is ours by a registered token, and gone when it is removed", () => {
    const of = scene();
    const place = mkdtempSync(join(tmpdir(), "witness-mount-"));
    onTestFinished(() => rmdirSync(place));
    of.witness.frame("before");
    const token = newToken();
    of.witness.mine(token);
    execFileSync("mount", ["-t", "tmpfs", `sp-${token}`, place]);
    try {
      of.witness.frame("after");
    } finally {
      execFileSync("umount", [place]);
    }
    expect(lastPlane(of, "mounts").ours).toHaveLength(1);
    of.witness.frame("later");
    expect(lastPlane(of, "mounts").ours).toEqual([]);
  });

  test("temp entries: named by the run ours, the scratch folder itself never", () => {
    const of = scene();
    of.witness.frame("before");
    const named = join(tmpdir(), `sp-${of.runId}`);
    writeFileSync(named, "");
    onTestFinished(() => rmSync(named, { force: true }));
    of.witness.frame("after");
    expect(lastPlane(of, "temp-entries").ours).toEqual([of.digests.pseudonym("temp-entry", named)]);
  });

  test("local state: entries that were not there before, in scratch folders and declared places", () => {
    const declared = mkdtempSync(join(tmpdir(), "witness-state-"));
    onTestFinished(() => rmSync(declared, { recursive: true }));
    const of = scene([join(declared, "*.json")]);
    writeFileSync(join(declared, "old.json"), "");
    of.witness.frame("before");
    expect(lastPlane(of, "local-state")).toMatchObject({ readable: true, ours: [], others: 0 });
    writeFileSync(join(declared, "new.json"), "");
    writeFileSync(join(declared, "not-declared"), "");
    mkdirSync(join(of.scratch, "folder"));
    writeFileSync(join(of.scratch, "folder", "file"), "");
    of.witness.frame("after");
    expect(lastPlane(of, "local-state").ours).toHaveLength(3);
    of.witness.watch([], [join(declared, "not-*")]);
    of.witness.frame("watched");
    expect(lastPlane(of, "local-state").ours).toHaveLength(3);
    rmSync(join(of.scratch, "folder"), { recursive: true });
    rmSync(join(declared, "new.json"));
    of.witness.frame("later");
    expect(lastPlane(of, "local-state").ours).toEqual([]);
  });

  test("settle waits for the end of ours and records each plane once", async () => {
    const of = scene();
    of.witness.frame("before");
    const child = launch(["sleep", "300"], { SANDPROOF_RUN: of.runId });
    await until("exec", () => of.witness.left().length === 1);
    const settled = of.witness.settle("after", 10_000);
    kill(child.pid);
    await settled;
    const after = of.records("plane").filter((record) => record.moment === "after");
    expect(after.map((record) => record.plane).toSorted()).toEqual([
      "cgroups",
      "local-state",
      "mounts",
      "network-devices",
      "processes",
      "temp-entries",
    ]);
    expect(after.every((record) => record.ours.length === 0)).toBe(true);
  });
});
