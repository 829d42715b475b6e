/** Judges a stored run again, offline. */
import { analyse } from "../analysis/analyse.ts";
import { dossier } from "../reports/dossier.ts";
import type { Results } from "../schemas/documents.ts";
import { type Difference, differences } from "./differences.ts";
import type { EvidenceProblem } from "./errors.ts";
import { DOSSIER, kindOf, RESULTS, readWhole } from "./files.ts";
import { stableJson } from "./json.ts";
import { type OpenedRun, openRun } from "./open.ts";

export interface AnalysedRun {
  readonly run: OpenedRun;
  readonly results: Results;
  /** The results as `results.json` holds them: equal to the stored ones, byte for byte, for an unchanged run. */
  readonly text: string;
  /** Where what is stored says something else than the recorded facts do. */
  readonly differences: readonly Difference[];
  /** What is wrong with the files. With a truncated history the verdicts are about the prefix only. */
  readonly problems: readonly EvidenceProblem[];
}

/** @throws `EvidenceError` when the folder is not a run. */
export async function analyseRun(folder: string): Promise<AnalysedRun> {
  const run = await openRun(folder);
  const { environment, events, witness, root, problems } = run;
  const results = analyse({ environment, events, witness, root });
  const text = stableJson(results);
  const found = [
    ...(run.results === undefined || run.results.text === text ? [] : differentResults(run.results.value, results)),
    ...(await differentDossier(run, dossier(results, environment))),
  ];
  return { run, results, text, differences: found, problems };
}

function differentResults(stored: Results, judged: Results): readonly Difference[] {
  const found = differences(RESULTS, stored, judged);
  const form = { where: RESULTS, stored: "other white space or order", judged: "the form that sandproof writes" };
  return found.length > 0 ? found : [form];
}

/** A dossier that was pasted says what the facts say, or the first line where it does not is named. */
async function differentDossier(run: OpenedRun, judged: string): Promise<readonly Difference[]> {
  if (run.manifest?.files.some(({ path }) => path === DOSSIER && kindOf(path) === "view") !== true) return [];
  let text: string;
  try {
    const read = await readWhole(run.folder, DOSSIER, judged.length * 16);
    if (read === "too-large") return [{ where: DOSSIER, stored: "much longer", judged: `${judged.length} characters` }];
    text = Buffer.from(read.bytes).toString("utf8");
  } catch {
    // Missing or unreadable: the manifest's check has said so already.
    return [];
  }
  if (text === judged) return [];
  const [stored, due] = [text.split("\n"), judged.split("\n")];
  const line = due.findIndex((content, place) => content !== stored[place]);
  const place = line === -1 ? due.length : line;
  return [{ where: `${DOSSIER}:${place + 1}`, stored: "another line", judged: "not that line" }];
}
