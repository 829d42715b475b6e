/** A mistake of the person costs nothing: exit code 254, a sentence, a next step, and nothing made. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { treeOf } from "./outside.ts";
import { openPlace, type Place } from "./place.ts";

let place: Place;
beforeEach(() => {
  place = openPlace();
});
afterEach(() => place.close());

const program = (name: string, text: string, mode = 0o755): string => {
  const path = join(place.root, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};

/** Runs it, and says what it answered and what it made. */
async function mistake(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const before = treeOf(place.root);
  const { exitCode, stdout, stderr } = await place.start(args, env);
  expect(treeOf(place.root)).toEqual(before);
  expect(await place.outside.residue()).toEqual([]);
  expect(stdout).toBe("");
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr.split("\n").length).toBeGreaterThan(1);
  return { exitCode, stderr };
}

test.each([
  [["run", "nonsense"], "There is no provider or adapter module `nonsense`"],
  [["run", "--check", "zzz*"], "No check matches `zzz*`"],
  [["run", "--suite", "fil"], "There is no suite `fil`"],
  [["run", "--skip", "*"], "all of it is skipped"],
  [["frobnicate"], "unknown command 'frobnicate'"],
  [["prove", "--no-such-flag"], "unknown option '--no-such-flag'"],
  [["prove", "--seed", "-1"], "is no seed"],
  [["prove", "--seed", "4294967296"], "is no seed"],
  [["prove", "--budget", "time=10"], "is no budget"],
  [["prove", "--budget", "sandboxes=0"], "is no budget"],
  [["prove", "--option", "a"], "not written as k=v"],
  [["prove", "--option", "a=b"], "has no option a"],
  [["prove", "--pass-env", "NOT SO"], "not the name of a variable"],
  [["prove", "--pass-env", "SANDPROOF_TEST_NOT_SET"], "is not set"],
  [["prove", "--challenge", "short"], "is no nonce"],
  [["prove", "--adapter"], "stands without a program"],
  [["prove", "--adapter", "--"], "stands without a program"],
  [["prove", "--", "true"], "no --adapter"],
  [["prove", "namespaces", "--adapter", "--", "true"], "Give one of them"],
  [["prove", "--adapter", "--", "sandproof-no-such-program"], "cannot be started (ENOENT)"],
  [["sweep", "--run", "nonsense"], "no journal of a run `nonsense`"],
])("%j", async (args, text) => {
  const { exitCode, stderr } = await mistake(args);
  expect(stderr).toContain(text);
  expect(exitCode).toBe(254);
});

test("an --out that cannot be written", async () => {
  writeFileSync(join(place.root, "file"), "");
  for (const out of [
    join(place.root, "file", "out"),
    "/proc/sandproof-out",
    join(place.root, "new", "a".repeat(300)),
  ]) {
    const { exitCode, stderr } = await mistake(["prove", "--out", out]);
    expect({ out, exitCode }).toEqual({ out, exitCode: 254 });
    expect(stderr).toContain("cannot be written");
    expect(stderr).toContain("Give an --out");
  }
});

test("an --out that is there, or whose working folder is", async () => {
  mkdirSync(place.out);
  mkdirSync(join(place.root, "other.partial"));
  for (const out of [place.out, join(place.root, "other")]) {
    const { exitCode, stderr } = await mistake(["prove", "--out", out]);
    expect({ out, exitCode }).toEqual({ out, exitCode: 254 });
    expect(stderr).toContain("exists already");
  }
});

test("a state folder that cannot be written", async () => {
  writeFileSync(join(place.root, "file"), "");
  for (const state of ["/proc/sandproof-state", join(place.root, "file", "state")]) {
    const { exitCode, stderr } = await mistake(["prove", "--out", place.out], { SANDPROOF_STATE: state });
    expect({ state, exitCode }).toEqual({ state, exitCode: 254 });
    expect(stderr).toContain("Set SANDPROOF_STATE");
  }
});

test("a program that is no adapter: nothing could be tried", async () => {
  const programs = [
    program("garbage", "#!/bin/sh\necho garbage\n"),
    program("ends", "#!/bin/sh\nexit 3\n"),
    program("talks", "#!/bin/sh\necho '\x1b[31mno such key' >&2\nexit 1\n"),
  ];
  for (const path of programs) {
    const { exitCode, stderr } = await mistake(["prove", "--out", place.out, "--adapter", "--", path]);
    expect({ path, exitCode }).toEqual({ path, exitCode: 4 });
    expect(stderr).toContain("did not describe itself");
    expect(stderr).toContain("Start the program by hand");
    expect(stderr).not.toContain("\x1b");
  }
});

test("a program that may not be executed", async () => {
  const path = program("plain", "", 0o644);
  const { exitCode, stderr } = await mistake(["prove", "--adapter", "--", path]);
  expect(exitCode).toBe(254);
  expect(stderr).toContain("cannot be started (EACCES)");
});
