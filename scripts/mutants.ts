/** The kill matrix: every mutant must fail a check that expects it, the honest provider none. Writes mutants/matrix.json. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { execa } from "execa";
import pLimit from "p-limit";
import { binFile } from "../cli/package.ts";
import { serveArgv } from "../cli/providers.ts";
import { startClock } from "../contract/clock.ts";
import { adapterEnvironment } from "../engine/session.ts";
import { endOrphanedAdapters, sweepRun } from "../engine/sweep.ts";
import { listJournals, readJournal, removeJournal } from "../history/journal.ts";
import { MUTANTS } from "../mutants/catalogue.ts";
import type { Results, Status } from "../schemas/documents.ts";
import type { Channel } from "../wire/channel.ts";
import { spawnAdapter } from "../wire/process.ts";

const MATRIX = new URL("../mutants/matrix.json", import.meta.url);
const SERVE = new URL("../mutants/serve.ts", import.meta.url);
/** More than cores: a run under a mutant mostly waits for what never comes. */
const AT_ONCE = 3;
const RUN_MS = 180_000;
/** Runs of the honest provider: none may raise an alarm. */
const HONEST_RUNS = 2;

const { values } = parseArgs({ options: { only: { type: "string", multiple: true } } });
const only = values.only ?? [];
const chosen = MUTANTS.filter(({ id }) => only.length === 0 || only.includes(id));

type Row = Record<string, Status>;

/** One run of `prove` in folders of its own; what a mutant leaves is removed by the honest provider. */
async function prove(subject: readonly string[]): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "sandproof-kill-"));
  const state = join(folder, "state");
  try {
    const args = [binFile(), "prove", "--json", "--out", join(folder, "out"), ...subject];
    const done = await execa(process.execPath, args, {
      env: { SANDPROOF_STATE: state },
      reject: false,
      timeout: RUN_MS,
      stdin: "ignore",
    });
    const results = parse(done.stdout);
    if (results === undefined) throw new Error(`no results (exit ${done.exitCode}):\n${done.stderr}`);
    return Object.fromEntries(results.checks.map(({ id, status }) => [id, status]));
  } finally {
    await tidy(state);
    rmSync(folder, { recursive: true, force: true });
  }
}

function parse(stdout: string): Results | undefined {
  return stdout.startsWith("{") ? (JSON.parse(stdout) as Results) : undefined;
}

async function tidy(state: string): Promise<void> {
  for (const { runId, path } of listJournals(state)) {
    const { entries } = readJournal(path);
    const [run] = entries;
    if (run?.kind !== "run") continue;
    await endOrphanedAdapters(run, entries);
    // A second state folder is where one mutant hides what it makes.
    for (const hidden of ["", "hidden"]) {
      const folders = { ...run.folders, state: join(run.folders.state, hidden) };
      const env = adapterEnvironment({ runId, folders, incarnation: entries.length, passed: {} });
      const events = { fault: () => {}, secret: () => {}, stderr: () => {}, ended: () => {} };
      const channel = spawnAdapter({ argv: serveArgv("namespaces"), env, clock: startClock(), events });
      const { left } = await sweepRun(channel, run, hidden === "" ? entries : entries.slice(0, 1), false);
      if (hidden !== "") await destroyAll(channel);
      await channel.close();
      if (left.length > 0) throw new Error(`${left.length} sandboxes of a mutant could not be removed`);
    }
    for (const entry of entries) if (entry.kind === "attempt") removeVolume(`/tmp/sandproof-mutant-${entry.attempt}`);
    removeJournal(state, runId);
  }
}

/** What is in the hidden folder bears no mark: all of it is the mutant's. */
async function destroyAll(channel: Channel): Promise<void> {
  const bounds = { deadlineMs: RUN_MS, graceMs: 0 };
  const listed = await channel.call("list", {}, bounds).outcome;
  if (listed.kind !== "ok") throw new Error(`the hidden sandboxes cannot be listed: ${listed.kind}`);
  for (const { id } of listed.result.items) await channel.call("destroy", { id }, bounds).outcome;
}

function removeVolume(path: string): void {
  if (!existsSync(path)) return;
  if (readFileSync("/proc/self/mounts", "utf8").includes(` ${path} `)) execFileSync("umount", [path]);
  rmSync(path, { recursive: true });
}

const say = (text: string) => process.stdout.write(`${text}\n`);
const failing = (row: Row): string[] => Object.keys(row).filter((id) => row[id] === "fail");

const results: Record<string, Row> = {};
const falseAlarms: { run: string; check: string; status: Status }[] = [];
const limit = pLimit(AT_ONCE);

const honest = Array.from({ length: HONEST_RUNS }, (_, n) =>
  limit(async () => {
    const row = await prove(["namespaces"]);
    results[`honest-${n + 1}`] = row;
    for (const [check, status] of Object.entries(row))
      if (status !== "pass") falseAlarms.push({ run: `honest-${n + 1}`, check, status });
    say(
      `honest-${n + 1}: ${Object.values(row).filter((status) => status === "pass").length} of ${Object.keys(row).length} pass`,
    );
  }),
);
const killed = new Set<string>();
const survivors: string[] = [];
const mutants = chosen.map(({ id, expected, also }) =>
  limit(async () => {
    const row = await prove(["--adapter", "--", process.execPath, SERVE.pathname, id]);
    results[id] = row;
    const seen = failing(row);
    const hits = seen.filter((check) => expected.includes(check));
    for (const check of hits) killed.add(check);
    if (hits.length === 0) survivors.push(id);
    for (const check of seen)
      if (!expected.includes(check) && !also.includes(check)) falseAlarms.push({ run: id, check, status: "fail" });
    say(
      `${hits.length > 0 ? "killed  " : "SURVIVED"} ${id} by ${hits.join(", ") || "nothing"}${seen.length > hits.length ? ` (also ${seen.filter((check) => !hits.includes(check)).join(", ")})` : ""}`,
    );
  }),
);
await Promise.all([...honest, ...mutants]);

const checks = Object.keys(results["honest-1"] ?? {});
const unkilledChecks = checks.filter((check) => !killed.has(check));
const matrix = {
  checks,
  mutants: chosen.map(({ id, fault, expected, also, faultRows }) => ({ id, fault, expected, also, faultRows })),
  results: Object.fromEntries(Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1))),
  unkilledChecks,
  survivors: survivors.sort(),
  falseAlarms: falseAlarms.sort((a, b) => `${a.run} ${a.check}`.localeCompare(`${b.run} ${b.check}`, "en")),
};
if (only.length === 0) writeFileSync(MATRIX, `${JSON.stringify(matrix, undefined, 2)}\n`);
for (const check of only.length === 0 ? unkilledChecks : []) say(`NOT KILLED ${check}`);
for (const { run, check, status } of falseAlarms) say(`FALSE ALARM ${check} is ${status} under ${run}`);
say(
  `${chosen.length} mutants, ${survivors.length} survivors; ${checks.length} checks, ${only.length === 0 ? unkilledChecks.length : "some"} unkilled; ${falseAlarms.length} false alarms`,
);
process.exitCode = survivors.length + falseAlarms.length + (only.length === 0 ? unkilledChecks.length : 0) > 0 ? 1 : 0;
