import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newToken } from "../../history/tokens.ts";
import { loadWitness, WitnessLog } from "../../history/witness-log.ts";
import { inTemporaryFolder, steppingClock } from "./sample-run.ts";

const withLog = (use: (path: string, log: WitnessLog) => void | Promise<void>) =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "witness.ndjson");
    const log = WitnessLog.create({ path, clock: steppingClock() });
    await use(path, log);
    log.close();
  });

test("records are read back as they were appended", () =>
  withLog(async (path, log) => {
    const appended = [
      log.append("host", "clock", { lowNs: -5, highNs: 5 }),
      log.append("host", "token", { token: newToken(), target: "s1", alive: 1 }),
      log.append("host", "native", { target: "s1", live: true, items: 2 }),
    ];
    log.close();
    expect(await loadWitness(path)).toEqual({ records: appended, tail: "whole", problems: [] });
    expect(() => log.append("host", "clock", { lowNs: 0, highNs: 0 })).toThrow("closed");
  }));

test("a value that does not fit its kind is refused, and not written", () =>
  withLog((path, log) => {
    expect(() => log.append("host", "token", { token: "secret-text" as never, alive: 1 })).toThrow("/value /token");
    expect(readFileSync(path, "utf8")).toBe("");
    expect(log.count).toBe(0);
  }));

test("what does not belong is named by line; a torn tail is no problem", () =>
  withLog(async (path, log) => {
    log.append("host", "clock", { lowNs: 0, highNs: 1 });
    const record = { i: 1, t: 5, source: "host", kind: "clock", value: { lowNs: 0, highNs: 1 } };
    const lines = [
      "?",
      JSON.stringify({ ...record, kind: "token" }),
      JSON.stringify({ ...record, source: "guest" }),
      JSON.stringify({ ...record, i: 4 }),
      JSON.stringify(record),
    ];
    appendFileSync(path, `${lines.join("\n")}\n{"i":2`);
    const { records, tail, problems } = await loadWitness(path);
    expect(records.map(({ i }) => i)).toEqual([0, 1]);
    expect(tail).toBe("torn");
    expect(problems.map(({ line, rule }) => `${line} ${rule}`)).toEqual(["2 json", "3 schema", "4 schema", "5 index"]);
  }));
