/** The command that everything is about, as a person runs it. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Results } from "../../schemas/documents.ts";
import { check } from "../../schemas/validate.ts";
import { openPlace, type Place, type Running, said } from "./place.ts";

let place: Place;
let run: Awaited<Running>;
/** Of a sweep while the run was alive. */
let swept: Awaited<Running>;

beforeAll(async () => {
  place = openPlace();
  const running = place.start(["prove", "--out", place.out]);
  // The first scenario has ended: by then there is a bystander.
  await said(running, "[1/");
  swept = await place.start(["sweep"]);
  run = await running;
});
afterAll(() => place.close());

const analyze = (...args: readonly string[]) => place.start(["analyze", ...args]);
const history = () => join(place.out, "history", "0.ndjson");

/** Runs `act` while the history holds `bytes`. */
async function withHistory<T>(bytes: Uint8Array, act: () => Promise<T>): Promise<T> {
  const before = readFileSync(history());
  writeFileSync(history(), bytes);
  try {
    return await act();
  } finally {
    writeFileSync(history(), before);
  }
}

test("prove exits 0 and says verdict, what was not tested, and where the evidence is", () => {
  expect({ exitCode: run.exitCode, stderr: run.stderr }).toMatchObject({ exitCode: 0 });
  expect(run.stdout).toMatch(/Conformance\s+conformant/);
  expect(run.stdout).toMatch(/Residue\s+none/);
  expect(run.stdout).toMatch(/^Not tested \(\d+\)$/m);
  expect(run.stdout).toContain(place.out);
});

test("a live run is never swept", () => {
  expect({ exitCode: swept.exitCode, stdout: swept.stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringContaining("live: not touched") as string,
  });
});

test("nothing is left, the state folder and its parents included", async () => {
  expect(await place.outside.residue()).toEqual([]);
  expect(readdirSync(place.root).sort()).toEqual(["out", "temp"]);
});

test("analyze gives the same bytes each time, those of results.json", async () => {
  const [first, second] = [await analyze(place.out, "--json"), await analyze(place.out, "--json")];
  expect(first.exitCode).toBe(0);
  expect(second.stdout).toBe(first.stdout);
  expect(`${first.stdout}\n`).toBe(readFileSync(join(place.out, "results.json"), "utf8"));
  expect(check(Results, JSON.parse(first.stdout))).toMatchObject({ ok: true });
});

test("one changed byte of the history breaks its chain, and decides nothing", async () => {
  const bytes = Uint8Array.from(readFileSync(history()));
  const at = Buffer.from(bytes).indexOf('"f":"exec"', Math.floor(bytes.byteLength / 2)) + '"f":"'.length;
  bytes[at] = "x".charCodeAt(0);
  const { exitCode, stderr } = await withHistory(bytes, () => analyze(place.out));
  expect(stderr).toMatch(/history\/0\.ndjson:\d+: .*chain/);
  expect(exitCode).toBe(2);
});

test("a history that was cut is said to be truncated, and decides nothing", async () => {
  const bytes = readFileSync(history());
  for (const length of [bytes.byteLength - 1, Math.floor(bytes.byteLength / 2), 0]) {
    const { exitCode, stderr } = await withHistory(bytes.subarray(0, length), () => analyze(place.out));
    expect({ length, stderr }).toEqual({ length, stderr: expect.stringContaining("truncated") as string });
    expect({ length, exitCode }).toEqual({ length, exitCode: 2 });
  }
});

test("what is no run is a mistake of the person", async () => {
  for (const folder of [place.root, join(place.root, "nowhere"), history()]) {
    const { exitCode, stdout, stderr } = await analyze(folder);
    expect({ folder, exitCode, stdout }).toEqual({ folder, exitCode: 254, stdout: "" });
    expect(stderr).toContain("Give the folder that a run wrote");
  }
});

test("a selection with --json prints results that fit their schema", async () => {
  const own = openPlace();
  try {
    const { exitCode, stdout } = await own.start(["run", "--check", "exec.exit-code", "--json", "--out", own.out]);
    const checked = check(Results, JSON.parse(stdout));
    expect(checked).toMatchObject({ ok: true, value: { verdict: { conformance: "passed-selection" }, exitCode } });
    expect(await own.outside.residue()).toEqual([]);
  } finally {
    await own.close();
  }
});
