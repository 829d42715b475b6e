import type { Environment, UnknownCause } from "../../../schemas/documents.ts";
import type { History } from "../history.ts";

/** A history, or one with what its environment says otherwise. */
export type Case = History | readonly [History, Partial<Environment>];
type Named = Readonly<Record<string, Case>>;

/** Histories of one check, by what its judge must say of them. */
export interface Cases {
  readonly good: Named;
  readonly bad: Named;
  readonly unknown: Partial<Record<UnknownCause, Named>>;
}
