/** Removes what dead runs left, by journal and label. A live run is never touched. */

import { startClock } from "../contract/clock.ts";
import { adapterEnvironment, removeScratch } from "../engine/session.ts";
import { type Dead, endOrphanedAdapters, inspect, type Swept, sweepRun } from "../engine/sweep.ts";
import { listJournals, removeJournal, stateFolder } from "../history/journal.ts";
import { escapeTerminal } from "../redaction/escape.ts";
import { KnownValues } from "../redaction/known-values.ts";
import type { RunId } from "../schemas/core.ts";
import type { JournalEntry } from "../schemas/documents.ts";
import { spawnAdapter } from "../wire/process.ts";
import type { CommandInput, RunCommand } from "./commands.ts";
import { EXIT } from "./exit.ts";
import { StderrTail } from "./stderr-tail.ts";
import { UsageError } from "./usage.ts";

type Report =
  | { readonly run: RunId; readonly status: "alive" | "starting" | "elsewhere" | "empty" }
  | ({ readonly run: RunId; readonly status: "swept" | "would-sweep"; readonly adaptersEnded: number } & Swept)
  | { readonly run: RunId; readonly status: "failed"; readonly why: string };

export const run: RunCommand = async ({ options }: CommandInput) => {
  const state = stateFolder();
  const wanted = typeof options.run === "string" ? options.run : undefined;
  const journals = listJournals(state).filter(({ runId }) => wanted === undefined || runId === wanted);
  if (wanted !== undefined && journals.length === 0) {
    throw new UsageError(
      `There is no journal of a run \`${wanted}\`.`,
      "Run `sandproof sweep --dry-run` to see the runs that left one.",
    );
  }
  const reports: Report[] = [];
  for (const { runId, path } of journals) reports.push(await sweepOne(state, runId, path, options.dryRun === true));
  process.stdout.write(options.json === true ? `${JSON.stringify(reports, undefined, 2)}\n` : text(reports));
  return reports.every(isClean) ? EXIT.ok : EXIT.residueLeft;
};

const isClean = (report: Report): boolean =>
  report.status !== "failed" && (report.status !== "swept" || report.left.length === 0);

async function sweepOne(state: string, runId: RunId, path: string, dryRun: boolean): Promise<Report> {
  try {
    const found = inspect(path);
    if (found.kind === "empty") {
      if (!dryRun) removeJournal(state, runId);
      return { run: runId, status: "empty" };
    }
    return found.kind === "dead" ? await sweepDead(state, runId, found, dryRun) : { run: runId, status: found.kind };
  } catch (error) {
    return { run: runId, status: "failed", why: error instanceof Error ? error.message : String(error) };
  }
}

async function sweepDead(
  state: string,
  runId: RunId,
  { run, entries }: Extract<Dead, { kind: "dead" }>,
  dryRun: boolean,
): Promise<Report> {
  const known = new KnownValues();
  const log = new StderrTail(known);
  const passed = passedAgain(run.passEnv, known);
  const adaptersEnded = dryRun ? 0 : await endOrphanedAdapters(run, entries);
  const incarnation = incarnations(entries) + 1;
  const env = adapterEnvironment({ runId, folders: run.folders, incarnation, passed });
  const channel = spawnAdapter({
    argv: run.adapter,
    env,
    clock: startClock(),
    events: {
      fault: () => {},
      secret: (value) => void known.add(value, "secret"),
      stderr: (chunk) => log.add(chunk),
      ended: () => {},
    },
  });
  try {
    const swept = await sweepRun(channel, run, entries, dryRun);
    await channel.close();
    if (!dryRun && swept.left.length === 0) removeJournal(state, runId);
    const left = swept.left.map(({ id, why }) => ({ id, why: known.redact(why) }));
    return { run: runId, status: dryRun ? "would-sweep" : "swept", adaptersEnded, ...swept, left };
  } catch (error) {
    await channel.close();
    const tail = log.text();
    const why = known.redact(error instanceof Error ? error.message : String(error));
    return { run: runId, status: "failed", why: tail === "" ? why : `${why}; the adapter's last words: ${tail}` };
  } finally {
    removeScratch(env);
  }
}

const incarnations = (entries: readonly JournalEntry[]): number =>
  entries.filter(({ kind }) => kind === "adapter").length;

/** The journal holds names only: the values must be in the environment again. */
function passedAgain(names: readonly string[], known: KnownValues): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of names) {
    const value = process.env[name];
    if (value === undefined) throw new Error(`the run was given ${name} by --pass-env: set it again and repeat`);
    known.add(value, "secret");
    passed[name] = value;
  }
  return passed;
}

function text(reports: readonly Report[]): string {
  return reports.length === 0 ? "No run left a journal: nothing to sweep.\n" : `${reports.map(line).join("\n")}\n`;
}

function line(report: Report): string {
  switch (report.status) {
    case "alive":
      return `${report.run}  live: not touched`;
    case "starting":
      return `${report.run}  is starting, or died while it was: not touched, sweep again in ten seconds`;
    case "elsewhere":
      return `${report.run}  of another host or PID namespace: skipped, sweep it there`;
    case "empty":
      return `${report.run}  ended before it made anything: forgotten`;
    case "failed":
      return `${report.run}  failed: ${escapeTerminal(report.why)}`;
    case "would-sweep":
      return `${report.run}  dead: ${report.found} sandboxes would be removed`;
    case "swept": {
      const left = report.left.map(({ why }) => `\n  left: ${escapeTerminal(why)}`).join("");
      return `${report.run}  dead: ${report.found} sandboxes found, ${report.removed} removed${left}`;
    }
  }
}
