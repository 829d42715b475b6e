/** The files of a run's folder: which belong there, and how they are read without trusting what is there. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { escapeTerminal } from "../redaction/escape.ts";
import { type EvidenceProblem, reasonOf } from "./errors.ts";
import type { FileDigest } from "./root.ts";

export const ENVIRONMENT = "environment.json";
export const WITNESS_LOG = "witness.ndjson";
export const RESULTS = "results.json";
export const DOSSIER = "evidence.md";
export const MANIFEST = "manifest.json";
export const historyOf = (shard: string): string => `history/${shard}.ndjson`;

/** Facts were recorded, views follow from them; the manifest is neither, it lists them. */
export type FileKind = "fact" | "view" | "manifest";

const KINDS: readonly (readonly [RegExp, FileKind])[] = [
  [/^(environment\.json|witness\.ndjson|history\/[0-9]+\.ndjson|samples\/[a-z0-9-]+\.json)$/, "fact"],
  [/^(results\.json|evidence\.md|report\.html|junit\.xml)$/, "view"],
  [/^manifest\.json$/, "manifest"],
];

/** Undefined for what is no part of a run. */
export const kindOf = (path: string): FileKind | undefined => KINDS.find(([pattern]) => pattern.test(path))?.[1];

/** A run has a handful of files in two folders: more is not a run, and is not walked to its end. */
const MAX_FILES = 10_000;
const MAX_DEPTH = 3;
const CHUNK_BYTES = 256 * 1024;

export interface Listing {
  /** Regular files below the folder, with `/`, sorted. */
  readonly paths: readonly string[];
  readonly problems: readonly EvidenceProblem[];
}

/** Follows no link. @throws what the file system throws for `folder` itself. */
export async function listFolder(folder: string): Promise<Listing> {
  const paths: string[] = [];
  const problems: EvidenceProblem[] = [];
  const queue = [{ path: "", depth: 1 }];
  for (let place = queue.shift(); place !== undefined; place = queue.shift()) {
    const { path: parent, depth } = place;
    for (const entry of await entriesOf(folder, parent, problems)) {
      const path = parent === "" ? entry.name : `${parent}/${entry.name}`;
      if (paths.length + problems.length >= MAX_FILES) {
        problems.push({ where: ".", problem: `more than ${MAX_FILES} files: the rest is not looked at` });
        return { paths: paths.sort(), problems };
      }
      if (entry.isFile()) paths.push(path);
      else if (!entry.isDirectory()) problems.push(at(path, "neither a file nor a folder (a link, perhaps): not read"));
      else if (depth < MAX_DEPTH) queue.push({ path, depth: depth + 1 });
      else problems.push(at(path, "deeper than any folder of a run: not read"));
    }
  }
  return { paths: paths.sort(), problems };
}

async function entriesOf(folder: string, path: string, problems: EvidenceProblem[]) {
  try {
    return await readdir(join(folder, path), { withFileTypes: true });
  } catch (error) {
    if (path === "") throw error;
    problems.push(at(path, `cannot be read (${reasonOf(error)})`));
    return [];
  }
}

/** A name may hold anything; what is printed may not. */
export const at = (path: string, problem: string, line?: number): EvidenceProblem => ({
  where: escapeTerminal(line === undefined ? path : `${path}:${line}`),
  problem,
});

/** @throws what the file system throws, `ELOOP` for a link, and an error for a pipe, device or socket. */
async function openRegular(folder: string, path: string): Promise<FileHandle> {
  // Without O_NONBLOCK a pipe that took the file's place would hold us for ever.
  const handle = await open(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error(`${escapeTerminal(path)} is not a regular file`);
}

/** A file that is digested while somebody else reads it: what was judged is what was digested. */
export interface Digesting {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Of the bytes that were read so far; of the file once `chunks` has ended. */
  readonly digest: () => FileDigest;
}

export function digesting(folder: string, path: string): Digesting {
  const sha256 = createHash("sha256");
  let bytes = 0;
  async function* read() {
    const handle = await openRegular(folder, path);
    for await (const chunk of handle.createReadStream({ highWaterMark: CHUNK_BYTES })) {
      const piece = chunk as Buffer;
      sha256.update(piece);
      bytes += piece.byteLength;
      yield piece;
    }
  }
  return { chunks: read(), digest: () => ({ path, sha256: sha256.copy().digest("hex"), bytes }) };
}

/** In bounded memory. @throws what the file system throws. */
export async function digestFile(folder: string, path: string): Promise<FileDigest> {
  const { chunks, digest } = digesting(folder, path);
  for await (const _ of chunks);
  return digest();
}

/** The whole file and its digest, or `too-large` when it has more than `maxBytes`. @throws what the file system throws. */
export async function readWhole(
  folder: string,
  path: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<{ readonly bytes: Uint8Array; readonly digest: FileDigest } | "too-large"> {
  const { chunks, digest } = digesting(folder, path);
  const pieces: Uint8Array[] = [];
  let held = 0;
  for await (const chunk of chunks) {
    held += chunk.byteLength;
    if (held > maxBytes) return "too-large";
    pieces.push(chunk);
  }
  return { bytes: Buffer.concat(pieces), digest: digest() };
}
