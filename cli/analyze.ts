/** Judges a stored run again, offline. */
import { analyseRun } from "../evidence/analyse-run.ts";
import { EvidenceError } from "../evidence/errors.ts";
import { escapeTerminal } from "../redaction/escape.ts";
import { finalScreen } from "../reports/terminal.ts";
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
    if (results.history === "truncated") {
      process.stderr.write(
        "The history is truncated: it has no end event. What follows is judged on its prefix, and proves no run.\n",
      );
    }
    process.stdout.write(
      options.json === true
        ? text
        : finalScreen(results, {
            colour: process.stdout.isTTY && process.stdout.hasColors(),
            out: folder,
            seed: opened.environment.seed,
            ...(opened.form === "sealed" ? {} : { views: [] }),
            width: process.stdout.columns ?? 80,
          }),
    );
    // Damaged facts decide nothing, whatever the judges make of them.
    return complaints.length > 0 || results.history === "truncated" ? EXIT.unknown : results.exitCode;
  } catch (error) {
    if (error instanceof EvidenceError) throw new UsageError(error.message, error.next);
    throw error;
  }
};
