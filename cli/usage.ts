/** The person asked for something that cannot be: exit code 254, nothing was made. `next` says what to do about it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly next: string;

  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}

/** Edits (insert, delete, replace) that turn `a` into `b`. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [i, left] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, right] of Array.from(b).entries()) {
      const replaced = (row[j] ?? 0) + (left === right ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** `Did you mean X?` when one of `candidates` is near enough to `word` to be a slip of the hand, else nothing. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  const [nearest] = [...candidates]
    .map((candidate) => ({ candidate, edits: distance(word, candidate) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits);
  return nearest && `Did you mean ${nearest.candidate}?`;
}
