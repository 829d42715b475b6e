/** The facts of a run, read back from its folder with everything that is wrong with them. */
import { stat } from "node:fs/promises";
import { genesis } from "../history/chain.ts";
import { loadHistory } from "../history/reader.ts";
import { loadWitness } from "../history/witness-log.ts";
import { Environment, type WitnessRecord } from "../schemas/documents.ts";
import type { HistoryEvent } from "../schemas/event.ts";
import { readDocument } from "./document.ts";
import { EvidenceError, type EvidenceProblem, reasonOf } from "./errors.ts";
import { at, digestFile, digesting, ENVIRONMENT, historyOf, kindOf, listFolder, WITNESS_LOG } from "./files.ts";
import { type FileDigest, rootOf } from "./root.ts";

export interface RunFacts {
  readonly environment: Environment;
  readonly events: readonly HistoryEvent[];
  /** `truncated`: no end event; then `problems` says so too. */
  readonly history: "complete" | "truncated";
  readonly witness: readonly WitnessRecord[];
  /** Of the fact files, as they were read. */
  readonly digests: readonly FileDigest[];
  readonly root: string;
  /** Regular files that are no facts. */
  readonly others: readonly string[];
  readonly problems: readonly EvidenceProblem[];
}

/** @throws `EvidenceError` when there is no run to speak of; anything less is a problem. */
export async function readFacts(folder: string): Promise<RunFacts> {
  const listing = await list(folder);
  const problems = [...listing.problems];
  for (const path of listing.paths) {
    if (kindOf(path) === undefined) problems.push(at(path, "extra file: no part of a run"));
  }
  const environment = await readDocument(folder, ENVIRONMENT, Environment);
  if (!environment.ok) {
    throw new EvidenceError(
      `${folder} is not a run: ${ENVIRONMENT} ${environment.problem}.`,
      "Give the folder that a run wrote, by default ./sandproof-runs/<runId>.",
    );
  }
  const { value, digest } = environment.value;
  const facts = new Facts(folder, new Set(listing.paths), problems);
  const own = historyOf(value.shard);
  const events = await facts.history(own, value, digest.sha256);
  const witness = await facts.witness();
  const rest = listing.paths.filter(
    (path) => kindOf(path) === "fact" && ![ENVIRONMENT, own, WITNESS_LOG].includes(path),
  );
  for (const path of rest) await facts.other(path);
  const digests = [digest, ...facts.digests];
  return {
    environment: value,
    ...events,
    witness,
    digests,
    root: rootOf(digests),
    others: listing.paths.filter((path) => kindOf(path) !== "fact"),
    problems,
  };
}

async function list(folder: string) {
  try {
    return await listFolder(folder);
  } catch (error) {
    const partial = `${folder.replace(/\/+$/, "")}.partial`;
    const killed = await stat(partial).then(
      (found) => found.isDirectory(),
      () => false,
    );
    throw new EvidenceError(
      `${folder} cannot be read as a folder (${reasonOf(error)}).`,
      killed
        ? `There is ${partial}: a run that did not reach its end. Give that folder.`
        : "Give the folder that a run wrote, by default ./sandproof-runs/<runId>.",
      { cause: error },
    );
  }
}

/** Reads the fact files one after the other. What cannot be read is a problem and has no digest. */
class Facts {
  readonly digests: FileDigest[] = [];
  readonly #folder: string;
  readonly #paths: ReadonlySet<string>;
  readonly #problems: EvidenceProblem[];

  constructor(folder: string, paths: ReadonlySet<string>, problems: EvidenceProblem[]) {
    this.#folder = folder;
    this.#paths = paths;
    this.#problems = problems;
  }

  async history(
    path: string,
    { runId, shard, challenge }: Environment,
    environmentSha256: string,
  ): Promise<Pick<RunFacts, "events" | "history">> {
    const options = { genesis: genesis({ runId, shard, challenge, environmentSha256 }) };
    const loaded = await this.#through(path, (chunks) => loadHistory(chunks, options));
    if (loaded === undefined) return { events: [], history: "truncated" };
    const { events, status, problems } = loaded;
    for (const { line, rule, problem } of problems) this.#problems.push(at(path, `${rule}: ${problem}`, line));
    if (status === "truncated") {
      this.#problems.push(at(path, `truncated: no end event after ${events.length} events (killed, or its tail cut)`));
    }
    return { events, history: status };
  }

  async witness(): Promise<readonly WitnessRecord[]> {
    const loaded = await this.#through(WITNESS_LOG, loadWitness);
    if (loaded === undefined) return [];
    for (const { line, rule, problem } of loaded.problems)
      this.#problems.push(at(WITNESS_LOG, `${rule}: ${problem}`, line));
    if (loaded.tail === "torn") this.#problems.push(at(WITNESS_LOG, "torn: the last line has no end"));
    return loaded.records;
  }

  async other(path: string): Promise<void> {
    await this.#reading(path, async () => {
      this.digests.push(await digestFile(this.#folder, path));
    });
    if (path.startsWith("history/")) this.#problems.push(at(path, "history of another shard: not judged"));
  }

  async #through<T>(path: string, read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T | undefined> {
    if (!this.#paths.has(path)) {
      this.#problems.push(at(path, "missing file"));
      return undefined;
    }
    return this.#reading(path, async () => {
      const { chunks, digest } = digesting(this.#folder, path);
      const value = await read(chunks);
      this.digests.push(digest());
      return value;
    });
  }

  async #reading<T>(path: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      this.#problems.push(at(path, `cannot be read (${reasonOf(error)})`));
      return undefined;
    }
  }
}
