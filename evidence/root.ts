/** The one digest that stands for the facts of a run. */
import { hash } from "node:crypto";

export interface FileDigest {
  /** Below the run's folder, with `/`. */
  readonly path: string;
  /** Lowercase hex. */
  readonly sha256: string;
  readonly bytes: number;
}

const byPath = (one: FileDigest, other: FileDigest): number =>
  Buffer.compare(Buffer.from(one.path, "utf8"), Buffer.from(other.path, "utf8"));

/** Sorted by the bytes of the path: the same on every file system and in every locale. */
export const sortedByPath = <F extends FileDigest>(files: readonly F[]): F[] => [...files].sort(byPath);

/** Lowercase hex SHA-256 over the lines `path NUL sha256 NUL bytes LF`, sorted by the bytes of the path. */
export const rootOf = (files: readonly FileDigest[]): string =>
  hash(
    "sha256",
    sortedByPath(files)
      .map(({ path, sha256, bytes }) => `${path}\0${sha256}\0${bytes}\n`)
      .join(""),
  );
