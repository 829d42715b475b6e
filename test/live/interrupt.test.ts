/** Ctrl-C and SIGTERM at any moment: all is removed, the prefix is kept, and the exit code says which. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { journalOf, openPlace, type Place, type Running, said, until } from "./place.ts";

const SLEEPER = join(import.meta.dirname, "adapters", "slow-describe.ts");

let place: Place;
let running: Running;
beforeEach(() => {
  place = openPlace();
});
afterEach(async () => {
  running.kill("SIGKILL");
  await running;
  await place.close();
});

const prove = (): Running => {
  running = place.start(["prove", "--out", place.out, "--seed", "1"]);
  return running;
};

/** As a terminal does it: to everything in the group. */
const toGroup = ({ pid }: Running) => pid !== undefined && process.kill(-pid, "SIGINT");
const has = (kind: string) => () => journalOf(place).some((entry) => entry["kind"] === kind);
const counted = (kind: string, n: number) => () =>
  journalOf(place).filter((entry) => entry["kind"] === kind).length >= n;

async function expectPrefix(): Promise<void> {
  expect(existsSync(place.out)).toBe(false);
  const { exitCode, stderr } = await place.start(["analyze", `${place.out}.partial`]);
  expect(stderr).toContain("truncated");
  expect(exitCode).toBe(2);
}

test.each([
  ["while the bystander is made", "attempt", 1],
  ["between scenarios and in their commands", "made", 2],
  ["in the middle", "made", 5],
] as const)("Ctrl-C %s", async (_when, kind, n) => {
  const run = prove();
  await until(`${n} × ${kind}`, run, counted(kind, n));
  place.outside.sample();
  run.kill("SIGINT");
  const { exitCode, stderr } = await run;
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 130 });
  expect(stderr).toContain(
    `Interrupted. Everything that the run made was removed. What was recorded is kept: ${place.out}.partial`,
  );
  expect(await place.outside.residue()).toEqual([]);
  await expectPrefix();
});

test("Ctrl-C of a terminal reaches the whole process group", async () => {
  const run = prove();
  await until("two sandboxes", run, counted("made", 2));
  toGroup(run);
  const { exitCode } = await run;
  expect(exitCode).toBe(130);
  expect(await place.outside.residue()).toEqual([]);
  await expectPrefix();
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s does the same, with exit code %d", async (signal, code) => {
  const run = prove();
  await until("two sandboxes", run, counted("made", 2));
  run.kill(signal);
  const { exitCode } = await run;
  expect(exitCode).toBe(code);
  expect(await place.outside.residue()).toEqual([]);
});

test("Ctrl-C while the adapter does not describe itself: nothing was made", async () => {
  running = place.start(["prove", "--out", place.out, "--adapter", "--", process.execPath, SLEEPER]);
  await until("the adapter", running, has("adapter"));
  place.outside.sample();
  running.kill("SIGINT");
  const { exitCode, stderr } = await running;
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 130 });
  expect(stderr).toContain("Interrupted before anything was made");
  expect(existsSync(`${place.out}.partial`)).toBe(false);
  expect(await place.outside.residue()).toEqual([]);
});

test("a second Ctrl-C leaves at once and prints a command that cleans up", async () => {
  const run = prove();
  await until("two sandboxes", run, counted("made", 2));
  place.outside.sample();
  const told = said(run, "Once more to leave at once");
  run.kill("SIGINT");
  await told;
  run.kill("SIGINT");
  const { exitCode, stderr } = await run;
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 130 });
  const [, id = ""] = /sandproof sweep --run ([a-z2-7]{26})/.exec(stderr) ?? [];
  const sweep = await place.start(["sweep", "--run", id]);
  expect({ exitCode: sweep.exitCode, stdout: sweep.stdout }).toMatchObject({ exitCode: 0 });
  expect(await place.outside.residue()).toEqual([]);
});
