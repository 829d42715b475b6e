/** Judges a stored run again, offline. */
import { analyseRun } from "../evidence/analyse-run.ts";
import { EvidenceError } from "../evidence/errors.ts";
import { escapeTerminal } from "../redaction/escape.ts";
import { finalScreen } from "../reports/terminal.ts";
import { plural } from "../reports/words.ts";
import type { RunCommand } from "./commands.ts";
import { EXIT } from "./exit.ts";
import { UsageError } from "./usage.ts";

export const run: RunCommand = async ({ args: [folder = ""], options }) => {
  try {
    const { run: opened, results, text, differences, problems } = await analyseRun(folder);
    const complaints = [
      ...problems.map(({ where, problem }) => `${where}: ${problem}`),
      ...differences.map(({ where, stored, judged }) => `${where}: stored ${stored}, judged ${judged}`),
    ];
    for (const complaint of complaints) process.stderr.write(`${escapeTerminal(complaint)}\n`);
    // Damaged facts decide nothing, whatever the judges make of them.
    const why =
      complaints.length > 0
        ? `DAMAGED: ${plural(complaints.length, "thing is", "things are")} not as the run left it, named above; the verdicts prove nothing.`
        : results.history === "truncated"
          ? "TRUNCATED: the history has no end event; what is said is about its prefix, and proves no run."
          : undefined;
    const screen = {
      colour: process.stdout.isTTY && process.stdout.hasColors(),
      out: folder,
      seed: opened.environment.seed,
      width: process.stdout.columns ?? 80,
      ...(opened.form === "sealed" ? {} : { views: [] }),
      ...(why === undefined ? {} : { ending: { exitCode: EXIT.unknown, why } }),
    };
    if (why !== undefined) process.stderr.write(`${why}\n`);
    process.stdout.write(options.json === true ? text : finalScreen(results, screen));
    return why === undefined ? results.exitCode : EXIT.unknown;
  } catch (error) {
    if (error instanceof EvidenceError) throw new UsageError(error.message, error.next);
    throw error;
  }
};
