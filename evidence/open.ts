/** Opens a stored run, sealed or killed on the way, and says everything that is wrong with it. */
import { basename } from "node:path";
import { Manifest, Results } from "../schemas/documents.ts";
import { type Document, readDocument } from "./document.ts";
import { type EvidenceProblem, reasonOf } from "./errors.ts";
import { type RunFacts, readFacts } from "./facts.ts";
import { at, digestFile, kindOf, MANIFEST, RESULTS } from "./files.ts";
import { type FileDigest, rootOf } from "./root.ts";

export interface OpenedRun extends Omit<RunFacts, "others"> {
  readonly folder: string;
  /** `partial`: nobody sealed it, so nothing but the chain holds its files together. */
  readonly form: "sealed" | "partial";
  /** As stored, if it can be read; the verdicts in it are a claim until they are judged again. */
  readonly results: Document<Results> | undefined;
  readonly manifest: Manifest | undefined;
}

export const PARTIAL = ".partial";

/** @throws `EvidenceError` when the folder is not a run at all; all other damage is in `problems`. */
export async function openRun(folder: string): Promise<OpenedRun> {
  const { others, ...facts } = await readFacts(folder);
  const problems = [...facts.problems];
  const unsealed = basename(folder).endsWith(PARTIAL);
  const read = async <T>(
    path: string,
    reading: () => Promise<{ ok: true; value: T } | { ok: false; problem: string }>,
  ) => {
    if (!others.includes(path)) {
      if (!unsealed) problems.push(at(path, "missing file"));
      return undefined;
    }
    const document = await reading();
    if (document.ok) return document.value;
    problems.push(at(path, document.problem));
    return undefined;
  };
  const manifest = (await read(MANIFEST, () => readDocument(folder, MANIFEST, Manifest)))?.value;
  const results = await read(RESULTS, () => readDocument(folder, RESULTS, Results));
  if (manifest !== undefined) {
    const views = await digestsOf(folder, others, problems);
    problems.push(...manifestProblems(manifest, facts, [...facts.digests, ...views]));
  }
  if (results !== undefined) problems.push(...resultsProblems(results.value, facts));
  return {
    ...facts,
    folder,
    form: unsealed || manifest === undefined ? "partial" : "sealed",
    results,
    manifest,
    problems,
  };
}

async function digestsOf(
  folder: string,
  paths: readonly string[],
  problems: EvidenceProblem[],
): Promise<readonly FileDigest[]> {
  const digests: FileDigest[] = [];
  for (const path of paths) {
    if (kindOf(path) !== "view") continue;
    try {
      digests.push(await digestFile(folder, path));
    } catch (error) {
      problems.push(at(path, `cannot be read (${reasonOf(error)})`));
    }
  }
  return digests;
}

function manifestProblems(
  manifest: Manifest,
  { environment, root }: Pick<RunFacts, "environment" | "root">,
  digests: readonly FileDigest[],
): EvidenceProblem[] {
  const there = new Map(digests.map((file) => [file.path, file]));
  const listed = new Set<string>();
  const problems: EvidenceProblem[] = [];
  const facts: FileDigest[] = [];
  for (const { path, sha256, bytes, kind } of manifest.files) {
    if (listed.has(path)) problems.push(at(path, `listed twice in ${MANIFEST}`));
    listed.add(path);
    if (kind === "fact") facts.push({ path, sha256, bytes });
    if (kindOf(path) !== kind) problems.push(at(path, `listed as a ${kind} in ${MANIFEST}, which it is not`));
    const file = there.get(path);
    if (file === undefined) problems.push(at(path, `missing file: listed in ${MANIFEST}, and not there`));
    else if (file.sha256 !== sha256 || file.bytes !== bytes)
      problems.push(at(path, `changed: its digest is not the one in ${MANIFEST}`));
  }
  for (const path of there.keys()) {
    if (!listed.has(path)) problems.push(at(path, `extra file: not listed in ${MANIFEST}`));
  }
  if (manifest.runId !== environment.runId)
    problems.push(at(MANIFEST, "of another run: its runId is not that of the run"));
  if (rootOf(facts) !== manifest.root) problems.push(at(MANIFEST, "its root is not that of the facts that it lists"));
  else if (manifest.root !== root) problems.push(at(MANIFEST, "its root is not that of the facts that are there"));
  return problems;
}

function resultsProblems(results: Results, { environment, root }: Pick<RunFacts, "environment" | "root">) {
  const problems: EvidenceProblem[] = [];
  if (results.runId !== environment.runId)
    problems.push(at(RESULTS, "of another run: its runId is not that of the run"));
  if (results.root !== root)
    problems.push(at(RESULTS, "judged from other facts: its root is not that of the facts that are there"));
  return problems;
}
