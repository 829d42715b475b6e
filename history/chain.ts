/** The chain that binds the lines of a history to each other and to their run. */
import { hash } from "node:crypto";

export interface Origin {
  readonly runId: string;
  readonly shard: string;
  readonly challenge?: string | undefined;
  /** Lowercase hex SHA-256 of the bytes of `environment.json`. */
  readonly environmentSha256: string;
}

/** `prev` of the first line: it names the run, so that a history cannot be moved to another one. */
export const genesis = ({ runId, shard, challenge, environmentSha256 }: Origin): string =>
  hash("sha256", JSON.stringify(["sandproof-history/1", runId, shard, challenge ?? "", environmentSha256]));

/** Lowercase hex SHA-256 of a line without its newline; a string counts as its UTF-8. */
export const lineHash = (line: string | Uint8Array): string => hash("sha256", line);
