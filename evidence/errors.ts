/** One thing that is wrong with a stored run. Neither field ever holds a value that was found there. */
export interface EvidenceProblem {
  /** A file of the run, with `:<line>` (from 1) where a line is meant; escaped for a terminal. */
  readonly where: string;
  readonly problem: string;
}

/** The folder cannot be used as a run. `next` says what to do about it. */
export class EvidenceError extends Error {
  override readonly name = "EvidenceError";
  readonly next: string;
  readonly problems: readonly EvidenceProblem[];

  constructor(message: string, next: string, options: { problems?: readonly EvidenceProblem[]; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.next = next;
    this.problems = options.problems ?? [];
  }
}

/** What the file system said, without the path that it puts into its message. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown ? String(thrown.code) : "unreadable";
