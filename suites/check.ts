/** What a check is: a property, the evidence it may rest on, and a pure function that judges recorded evidence. */
import type { Capability } from "../contract/capabilities.ts";
import type { EffectiveWaits } from "../contract/waits.ts";
import type { HistoryView } from "../history/view.ts";
import type { Environment, Level, Source, UnknownCause, WitnessKind, WitnessRecord } from "../schemas/documents.ts";

/** All that a judge may look at. No provider, no clock, no file. */
export interface Evidence {
  readonly history: HistoryView;
  readonly witness: <K extends WitnessKind>(kind: K) => readonly Extract<WitnessRecord, { kind: K }>[];
  readonly environment: Environment;
  readonly waits: EffectiveWaits;
}

export interface Counterexample {
  /** Indexes of history events. */
  readonly events: readonly number[];
  readonly expected: string;
  readonly observed: string;
}

export type Judgement =
  | { readonly status: "pass"; readonly source: Source; readonly count: number; readonly detail: string }
  | {
      readonly status: "fail";
      readonly source: Source;
      readonly detail: string;
      readonly counterexample: Counterexample;
    }
  | { readonly status: "unknown"; readonly cause: UnknownCause; readonly detail: string }
  | { readonly status: "not-applicable"; readonly detail: string };

export type Judge = (evidence: Evidence) => Judgement;

export interface Check {
  readonly id: string;
  readonly level: Level;
  /** Judged only where the provider declares it; elsewhere its refusal is asked for. */
  readonly needs?: Capability;
  readonly evidence: readonly Source[];
  /** What must hold, in one sentence. */
  readonly requirement: string;
  /** Why a user of sandboxes needs it. */
  readonly why: string;
  /** Rows of the fault corpus that it would have caught. */
  readonly faults: readonly string[];
  /** Framed by the engine in every run, so that it decides the residue of every run, a selection too. */
  readonly everyRun?: true;
  readonly judge: Judge;
}

export const pass = (source: Source, count: number, detail: string): Judgement => ({
  status: "pass",
  source,
  count,
  detail,
});

export const fail = (source: Source, events: readonly number[], expected: string, observed: string): Judgement => ({
  status: "fail",
  source,
  detail: `expected ${expected}; observed ${observed}`,
  counterexample: { events, expected, observed },
});

export const unknown = (cause: UnknownCause, detail: string): Judgement => ({ status: "unknown", cause, detail });

/** The worst of several: a violation outweighs doubt, doubt outweighs success. Counts of passes are added. */
export function all(first: Judgement, ...rest: readonly Judgement[]): Judgement {
  return rest.reduce((worst, next) => {
    if (worst.status === "pass" && next.status === "pass") return { ...worst, count: worst.count + next.count };
    return RANK[next.status] > RANK[worst.status] ? next : worst;
  }, first);
}

const RANK = { "not-applicable": 0, pass: 1, unknown: 2, fail: 3 } as const;
