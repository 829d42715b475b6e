/** `prove` and `run`: conduct, judge, seal, tell. */

import { Interrupted } from "../engine/errors.ts";
import { EvidenceError } from "../evidence/errors.ts";
import { GateError } from "../evidence/gate-error.ts";
import { stableJson } from "../evidence/json.ts";
import { seal } from "../evidence/seal.ts";
import { stateFolder } from "../history/journal.ts";
import { newRunId } from "../history/tokens.ts";
import { escapeTerminal } from "../redaction/escape.ts";
import { Progress } from "../reports/progress.ts";
import { finalScreen } from "../reports/terminal.ts";
import { plural } from "../reports/words.ts";
import type { Environment } from "../schemas/documents.ts";
import type { CommandInput } from "./commands.ts";
import { type Conducted, conduct } from "./conduct.ts";
import { AdapterUnusable } from "./describe.ts";
import { EXIT } from "./exit.ts";
import { claimOutFolder, type OutFolder } from "./out-folder.ts";
import { type RunRequest, readRequest } from "./request.ts";
import { watchForStop } from "./signals.ts";

const say = (text: string) => process.stderr.write(`${text}\n`);

export async function runAndSeal(name: "prove" | "run", input: CommandInput): Promise<number> {
  const request = readRequest(name, input);
  const runId = newRunId();
  const stop = watchForStop(`sandproof sweep --run ${runId}`);
  const progress = new Progress(process.stderr);
  let folder: OutFolder | undefined;
  try {
    folder = claimOutFolder(request.out, runId);
    const conducted = await conduct(request, {
      runId,
      state: stateFolder(),
      folder,
      stop,
      progress,
      announce: (environment, scenarios) => say(announcement(environment, scenarios)),
    });
    progress.end();
    return await conclude(request, folder, conducted, stop.exitCode());
  } catch (error) {
    progress.end();
    folder?.abandon();
    const stopCode = stop.exitCode();
    if (error instanceof Interrupted && stopCode !== undefined) {
      say("Interrupted before anything was made.");
      return stopCode;
    }
    if (error instanceof GateError || error instanceof EvidenceError) {
      say(`sandproof: ${error.message}\n${error.next}`);
      return EXIT.harnessError;
    }
    if (!(error instanceof AdapterUnusable)) throw error;
    say(`sandproof: ${error.message}\nNothing was made. ${afterUnusable(request)}`);
    return EXIT.blocked;
  } finally {
    stop.release();
  }
}

const afterUnusable = ({ subject }: RunRequest): string =>
  subject.kind === "provider"
    ? `Run \`sandproof doctor ${subject.name}\` to see what is missing.`
    : "Start the program by hand: it must answer requests, one JSON object a line, on its stdin, and print nothing else.";

function announcement({ provider, budget, seed, profile, runId }: Environment, scenarios: number): string {
  const time = budget.timeMs < 60_000 ? `${budget.timeMs / 1_000} s` : `${Math.round(budget.timeMs / 60_000)} min`;
  return [
    `sandproof ${profile} ${escapeTerminal(provider.name)} · run ${runId} · seed ${seed}`,
    `${plural(scenarios, "scenario")}; starts none beyond ${time} or ${budget.sandboxes} sandboxes; no cost is declared.`,
  ].join("\n");
}

async function conclude(
  request: RunRequest,
  folder: OutFolder,
  run: Conducted,
  stopCode: number | undefined,
): Promise<number> {
  for (const crash of run.crashes)
    say(`A fault of this program: ${crash instanceof Error ? (crash.stack ?? crash.message) : String(crash)}`);
  for (const { what, fix } of run.notReady) say(`${escapeTerminal(what)}\n  fix: ${escapeTerminal(fix)}`);
  if (run.left > 0)
    say(`${run.left} sandboxes could not be removed. Try: sandproof sweep --run ${run.environment.runId}`);
  for (const item of run.leftOnHost.slice(0, MAX_LEFT)) say(`left on this host: ${escapeTerminal(item)}`);
  if (run.leftOnHost.length > MAX_LEFT) say(`left on this host: and ${run.leftOnHost.length - MAX_LEFT} more`);
  if (stopCode !== undefined) {
    if (run.left === 0) run.forget();
    const cleaned = run.left === 0 && run.leftOnHost.length === 0 ? "Everything that the run made was removed. " : "";
    say(`Interrupted. ${cleaned}What was recorded is kept: ${folder.partial}`);
    return stopCode;
  }
  if (run.lost !== undefined) {
    if (run.left === 0) run.forget();
    say(
      `The record could not be written to ${folder.partial}: ${reasonOf(run.lost)}. Make room there, or give another --out.`,
    );
    return EXIT.harnessError;
  }
  try {
    const { results } = await seal({ partial: folder.partial, out: folder.out, known: run.known });
    if (run.left === 0 && results.verdict.residue !== "left") run.forget();
    if (results.exitCode !== 0 && run.adapterLog !== "") say(lastWords(run.adapterLog));
    process.stdout.write(
      request.json
        ? stableJson(results)
        : finalScreen(results, {
            colour: wantsColour(),
            out: folder.out,
            seed: run.environment.seed,
            ...(request.subject.kind === "program" ? { program: request.subject.argv } : {}),
            width: process.stdout.columns ?? 80,
          }),
    );
    return results.exitCode;
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    if (run.left === 0 && run.leftOnHost.length === 0) run.forget();
    say(`Nothing was published: ${error.message}\nThe facts are kept in ${folder.partial}; do not share them.`);
    return EXIT.harnessError;
  }
}

/** The innermost cause: `ENOSPC`, and not what it led to. */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause === undefined ? thrown.message : reasonOf(thrown.cause);
}

const LAST_LINES = 12;
const MAX_LEFT = 10;

const lastWords = (log: string): string => {
  const lines = log.split("\n").slice(-LAST_LINES);
  return ["The adapter's last words:", ...lines.map((line) => `  adapter | ${escapeTerminal(line)}`)].join("\n");
};

const wantsColour = (): boolean => process.stdout.isTTY && process.stdout.hasColors();
