/** A secret that was passed to the adapter is in nothing that the run publishes, keeps in its state, or starts. */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pause } from "../../contract/clock.ts";
import { treeOf } from "./outside.ts";
import { BIN, isRunning, openPlace, type Place, type Running } from "./place.ts";

const LEAKY = join(import.meta.dirname, "adapters", "leaky.ts");
const LOOK_EVERY_MS = 50;
const SECRET = `key-${randomBytes(12).toString("base64url")}`;
const FORMS = [SECRET, Buffer.from(SECRET).toString("base64").replace(/=+$/, ""), Buffer.from(SECRET).toString("hex")];

let place: Place;
beforeEach(() => {
  place = openPlace();
});
afterEach(() => place.close());

const leak = (how: string): Running => {
  const checks = ["exec.exit-code", "files.visible-both-ways", "lifecycle.create-*"].flatMap((id) => ["--check", id]);
  const passed = ["--pass-env", "LEAKY_SECRET", "--pass-env", "LEAK:public"];
  const adapter = ["--adapter", "--", process.execPath, BIN, "adapter", "serve", LEAKY];
  const args = ["run", ...checks, "--seed", "1", ...passed, "--out", place.out, ...adapter];
  return place.start(args, { LEAKY_SECRET: SECRET, LEAK: how });
};

const holding = (paths: readonly string[]): string[] =>
  paths.filter((path) => {
    const read = () => readFileSync(path, "latin1");
    return FORMS.some((form) => path.includes(form) || (statSync(path).isFile() && read().includes(form)));
  });

/** Looks into the private state while the run is alive: its journal is flushed with every entry. */
async function watchState(run: Running): Promise<Set<string>> {
  const found = new Set<string>();
  while (isRunning(run)) {
    const journals = treeOf(place.state).filter((path) => path.endsWith("journal.ndjson"));
    for (const path of journals) if (existsSync(path) && holding([path]).length > 0) found.add(path);
    await pause(LOOK_EVERY_MS);
  }
  return found;
}

test.each(["words", "exits"])("the guest and the adapter spill it: %s", async (how) => {
  const run = leak(how);
  expect([...(await watchState(run))]).toEqual([]);
  const { exitCode, stdout, stderr } = await run;
  // The adapter is no honest one: some checks are not passed.
  expect([1, 2]).toContain(exitCode);
  expect(existsSync(join(place.out, "results.json"))).toBe(true);
  expect(holding(treeOf(place.out))).toEqual([]);
  for (const form of FORMS) expect(stdout + stderr).not.toContain(form);
  expect(await place.outside.residue()).toEqual([]);
});

test("where it would be published nothing is, and file and rule are named", async () => {
  const { exitCode, stdout, stderr } = await leak("version");
  expect({ exitCode, stdout }).toEqual({ exitCode: 255, stdout: "" });
  expect(stderr).toContain("Nothing was published");
  expect(stderr).toContain("known-secret in environment.json");
  expect(stderr).not.toContain(SECRET);
  expect(existsSync(place.out)).toBe(false);
  expect(await place.outside.residue()).toEqual([]);
});
