import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  Journal,
  listJournals,
  type RunEntry,
  readJournal,
  removeJournal,
  stateFolder,
} from "../../history/journal.ts";
import { thisProcess } from "../../history/liveness.ts";
import { newRunId, newToken } from "../../history/tokens.ts";
import type { SandboxId } from "../../schemas/core.ts";
import type { JournalEntry } from "../../schemas/documents.ts";
import { inTemporaryFolder } from "./sample-run.ts";

const runEntry = (): RunEntry => ({
  kind: "run",
  runId: newRunId(),
  version: "0.1.0",
  provider: "sim",
  adapter: ["node", "adapter.ts"],
  options: {},
  passEnv: ["API_KEY"],
  harness: thisProcess(),
  folders: { state: "/a", cache: "/b", config: "/c", scratch: "/d" },
});
const attempt = newToken();
const id = "sb-1" as SandboxId;
const entries: JournalEntry[] = [
  { kind: "adapter", pid: 1, startTime: "1" },
  { kind: "attempt", attempt, method: "create", role: "subject", target: "s1" },
  { kind: "made", attempt, id },
  { kind: "removing", attempt, id },
  { kind: "ended", attempt, id },
  { kind: "closed", left: 0 },
];
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("where", () => {
  test.each([
    [{ SANDPROOF_STATE: "/own", XDG_STATE_HOME: "/x", HOME: "/h" }, "/own"],
    [{ XDG_STATE_HOME: "/x", HOME: "/h" }, "/x/sandproof"],
    [{ HOME: "/h" }, "/h/.local/state/sandproof"],
    [{ SANDPROOF_STATE: "", XDG_STATE_HOME: "", HOME: "/h" }, "/h/.local/state/sandproof"],
    [{}, join(homedir(), ".local/state/sandproof")],
  ])("%j", (env, expected) => expect(stateFolder(env)).toBe(expected));
});

describe("a run's journal", () => {
  test("is written for its owner only, and reads back", () =>
    inTemporaryFolder((home) => {
      const state = join(home, "state", "sandproof");
      const run = runEntry();
      const journal = Journal.create(state, run);
      for (const entry of entries) journal.append(entry);
      expect(readJournal(journal.path)).toEqual({ entries: [run, ...entries], tail: "whole" });
      expect(journal.path).toBe(join(state, "runs", run.runId, "journal.ndjson"));
      expect(modeOf(journal.path)).toBe(0o600);
      for (const folder of [join(home, "state"), state, join(state, "runs"), journal.folder])
        expect(modeOf(folder)).toBe(0o700);
      expect(listJournals(state)).toEqual([{ runId: run.runId, path: journal.path }]);
      expect(journal.fsyncs).toBeGreaterThan(entries.length);
      expect(journal.fsyncNs).toBeGreaterThan(0);
      journal.remove();
    }));

  test("refuses what does not fit, and everything once it is closed", () =>
    inTemporaryFolder((home) => {
      const journal = Journal.create(join(home, "sandproof"), runEntry());
      const unnamed = { kind: "attempt", attempt, method: "create", role: "subject", target: "sandbox-1" } as const;
      expect(() => journal.append(unnamed)).toThrow("does not fit");
      journal.close();
      expect(() => journal.append({ kind: "closed", left: 0 })).toThrow("closed");
      expect(readJournal(journal.path).entries.length).toBe(1);
    }));

  test("is not made twice for one run, and the second try leaves the first alone", () =>
    inTemporaryFolder((home) => {
      const state = join(home, "sandproof");
      const run = runEntry();
      const journal = Journal.create(state, run);
      expect(() => Journal.create(state, run)).toThrow("EEXIST");
      expect(readJournal(journal.path).entries).toEqual([run]);
      journal.close();
    }));

  test("with a first entry that does not fit leaves nothing behind", () =>
    inTemporaryFolder((home) => {
      const run = { ...runEntry(), version: 7 as unknown as string };
      expect(() => Journal.create(join(home, "sandproof"), run)).toThrow("does not fit");
      expect(readdirSync(home)).toEqual([]);
    }));
});

describe("removal leaves nothing that we made, and everything that we did not", () => {
  test("with the folders above", () =>
    inTemporaryFolder((home) => {
      const journal = Journal.create(join(home, ".local", "state", "sandproof"), runEntry());
      writeFileSync(join(journal.folder, "scratch"), "x");
      journal.remove();
      expect(readdirSync(home)).toEqual([]);
    }));

  test("but not a state folder that was there and does not bear our name", () =>
    inTemporaryFolder((home) => {
      const state = join(home, "chosen");
      mkdirSync(state);
      Journal.create(state, runEntry()).remove();
      expect(readdirSync(home)).toEqual(["chosen"]);
      expect(readdirSync(state)).toEqual([]);
    }));

  test("but not another run, nor a file that is not ours; the last run takes the rest along", () =>
    inTemporaryFolder((home) => {
      const state = join(home, "sandproof");
      const first = Journal.create(state, runEntry());
      const second = Journal.create(state, runEntry());
      first.remove();
      expect(listJournals(state).map(({ runId }) => runId)).toEqual([second.runId]);
      second.remove();
      expect(readdirSync(home)).toEqual([]);

      const third = Journal.create(state, runEntry());
      writeFileSync(join(state, "note"), "mine");
      third.remove();
      expect(readdirSync(state)).toEqual(["note"]);
    }));

  test("by sweep, for a run whose harness is dead", () =>
    inTemporaryFolder((home) => {
      const state = join(home, "sandproof");
      const journal = Journal.create(state, runEntry());
      journal.close();
      removeJournal(state, journal.runId);
      expect(existsSync(state)).toBe(false);
      removeJournal(state, journal.runId);
    }));
});

describe("reading what a killed harness left", () => {
  test("a torn tail is left out", () =>
    inTemporaryFolder((home) => {
      const run = runEntry();
      const journal = Journal.create(join(home, "sandproof"), run);
      journal.close();
      appendFileSync(journal.path, '{"kind":"att');
      expect(readJournal(journal.path)).toEqual({ entries: [run], tail: "torn" });
      const first = readFileSync(journal.path).subarray(0, 20);
      writeFileSync(journal.path, first);
      expect(readJournal(journal.path)).toEqual({ entries: [], tail: "torn" });
    }));

  test.each([
    ["not JSON", "?\n"],
    ["no such entry", '{"kind":"guess"}\n'],
    ["a second run entry", `${JSON.stringify(runEntry())}\n`],
  ])("anything else is an error that names the line: %s", (_, line) =>
    inTemporaryFolder((home) => {
      const journal = Journal.create(join(home, "sandproof"), runEntry());
      journal.close();
      appendFileSync(journal.path, line);
      expect(() => readJournal(journal.path)).toThrow("journal line 2");
    }),
  );

  test("no state folder, no journals; other names in it are not ours", () =>
    inTemporaryFolder((home) => {
      expect(listJournals(join(home, "none"))).toEqual([]);
      mkdirSync(join(home, "runs", "something-else"), { recursive: true });
      expect(listJournals(home)).toEqual([]);
    }));
});
