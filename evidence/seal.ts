/** Turns the working folder of a run into its published folder: judged, listed, scanned, durable, renamed last. */
import { hash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, rename } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { analyse } from "../analysis/analyse.ts";
import { type GateHit, scanForPublication } from "../redaction/gate.ts";
import type { KnownValues } from "../redaction/known-values.ts";
import { dossier } from "../reports/dossier.ts";
import { Manifest, Results } from "../schemas/documents.ts";
import { check } from "../schemas/validate.ts";
import { EvidenceError } from "./errors.ts";
import { type RunFacts, readFacts } from "./facts.ts";
import { DOSSIER, MANIFEST, RESULTS, readWhole } from "./files.ts";
import { GateError } from "./gate-error.ts";
import { stableJson } from "./json.ts";
import { sortedByPath } from "./root.ts";

export interface SealOptions {
  /** The working folder, with the facts complete and closed. */
  readonly partial: string;
  /** The folder that it becomes; not there yet, on the same file system. */
  readonly out: string;
  /** What must not be published in any form. */
  readonly known: KnownValues;
}

export interface Sealed {
  readonly results: Results;
  /** As in the manifest. */
  readonly files: Manifest["files"];
}

/**
 * @throws `EvidenceError` when the facts are not whole or `out` is there already, `GateError` when a secret would be
 * published. In both cases nothing is written or renamed.
 */
export async function seal({ partial, out, known }: SealOptions): Promise<Sealed> {
  const facts = await readFacts(partial);
  refuseUnlessWhole(partial, facts);
  await refuseIfThere(out);
  const { environment, events, witness, root, digests } = facts;
  const results = analyse({ environment, events, witness, root });
  const views = new Map([
    [RESULTS, documentBytes(Results, results)],
    [DOSSIER, Buffer.from(dossier(results, environment), "utf8")],
  ]);
  const files: Manifest["files"] = sortedByPath([
    ...digests.map((file) => ({ ...file, kind: "fact" as const })),
    ...[...views].map(([path, bytes]) => ({
      path,
      sha256: hash("sha256", bytes),
      bytes: bytes.byteLength,
      kind: "view" as const,
    })),
  ]);
  const manifest: Manifest = { schema: "sandproof-manifest/1", runId: environment.runId, root, files };
  const made = new Map([...views, [MANIFEST, documentBytes(Manifest, manifest)]]);
  await lastGate(partial, facts, made, known);
  for (const [path, bytes] of made) await writeDurably(join(partial, path), bytes);
  for (const { path } of digests) await sync(join(partial, path));
  for (const folder of new Set(digests.map(({ path }) => dirname(path)))) await sync(join(partial, folder));
  await rename(partial, out);
  await sync(dirname(resolve(out)));
  return { results, files };
}

function refuseUnlessWhole(partial: string, { problems, others }: RunFacts): void {
  const stale = others.filter((path) => ![RESULTS, DOSSIER, MANIFEST].includes(path));
  const all = [...problems, ...stale.map((path) => ({ where: path, problem: "extra file: not made by this run" }))];
  const [first] = all;
  if (first === undefined) return;
  throw new EvidenceError(
    `The run cannot be published: ${first.where}: ${first.problem}${all.length > 1 ? ` (and ${all.length - 1} more)` : ""}.`,
    `The recorded facts are left in ${partial}; \`sandproof analyze ${partial}\` says what can be said of them.`,
    { problems: all },
  );
}

async function refuseIfThere(out: string): Promise<void> {
  const there = await lstat(out).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
  if (there)
    throw new EvidenceError(`${out} is there already.`, "Give another folder with --out, or move that one away.");
}

/** Checked as it will be read back. A misfit is an error of ours. */
function documentBytes(schema: typeof Results | typeof Manifest, value: Results | Manifest): Uint8Array {
  const text = stableJson(value);
  const checked = check(schema, JSON.parse(text));
  if (!checked.ok) throw new Error(`a document of ours does not fit its schema: ${checked.problem}`);
  return Buffer.from(text, "utf8");
}

/** Over the bytes themselves, file by file; the facts must still be those that were judged. */
async function lastGate(
  partial: string,
  { digests }: RunFacts,
  made: ReadonlyMap<string, Uint8Array>,
  known: KnownValues,
): Promise<void> {
  // Facts before views: a view repeats what it found in a fact.
  const hits: GateHit[] = [];
  for (const { path, sha256 } of digests) {
    const read = await readWhole(partial, path);
    if (read === "too-large" || read.digest.sha256 !== sha256)
      throw new EvidenceError(
        `${path} changed while it was being published.`,
        "Let nothing else write there; run again.",
      );
    hits.push(...scanForPublication([{ path, bytes: read.bytes }], known));
  }
  const views = [...made].map(([path, bytes]) => ({ path, bytes }));
  hits.push(...scanForPublication(views, known));
  if (hits.length > 0) throw new GateError(hits);
}

async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o644);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Of a file or a folder. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
