/** A mutant: the honest provider with one planted fault, and the checks that must see it. */
import type { Adapter, AdapterContext } from "../contract/port.ts";

export interface Mutant {
  readonly id: string;
  /** What is wrong with it, in a sentence. */
  readonly fault: string;
  /** Checks that must fail: at least one, or the mutant survived. */
  readonly expected: readonly string[];
  /** Checks that may fail too, since they see the same fault from another side. */
  readonly also: readonly string[];
  /** Lists, destroys or what stays behind are false for real: by timing, any check of clean-up may see it too. */
  readonly spoilsCleanUp?: true;
  /** Rows of the fault corpus that it re-enacts. */
  readonly faultRows: readonly string[];
  /** A fault in what the provider does. */
  readonly plant?: (honest: Adapter, context: AdapterContext) => Adapter;
  /** A fault in what the adapter says: what goes out instead of a line. */
  readonly tamper?: (line: Uint8Array) => readonly Uint8Array[];
}
