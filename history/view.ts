/** What judges read: a history as operations with their completions, looked up by method, sandbox and check. */
import type {
  HistoryEvent,
  Invoke,
  InvokeValue,
  Note,
  NoteKind,
  NoteValue,
  NotOk,
  Ok,
  OkValue,
  Recorded,
} from "../schemas/event.ts";

export interface Operation {
  /** Index of the invoke event: what a counterexample names. */
  readonly index: number;
  readonly invoke: Invoke;
  /** Missing when the harness was killed before the call ended. */
  readonly completion?: Ok | NotOk;
  readonly f: string;
  readonly target: string | undefined;
  readonly scenario: string;
  /** `<check id>/<case>` where the operation serves one. */
  readonly probe?: string;
  readonly process: number;
}

export interface TypedNote<K extends NoteKind> {
  readonly event: Note;
  readonly value: NoteValue<K>;
}

export interface HistoryView {
  readonly operations: readonly Operation[];
  readonly status: "complete" | "truncated";
  readonly byMethod: (f: string) => readonly Operation[];
  readonly byTarget: (target: string) => readonly Operation[];
  /** Every operation that serves the check, whatever its case. */
  readonly byProbe: (checkId: string) => readonly Operation[];
  readonly byScenario: (scenario: string) => readonly Operation[];
  /** The operation whose invoke event has this index. */
  readonly at: (index: number) => Operation | undefined;
  readonly notes: <K extends NoteKind>(kind: K) => readonly TypedNote<K>[];
}

type Building = { -readonly [Name in keyof Operation]: Operation[Name] };

/** @param events as the reader gave them: values are trusted to fit their schemas. */
export function viewHistory(events: readonly HistoryEvent[]): HistoryView {
  const operations: Building[] = [];
  const byIndex = new Map<number, Building>();
  const notes = new Map<string, Note[]>();
  let status: HistoryView["status"] = "truncated";
  for (const event of events) {
    switch (event.type) {
      case "invoke": {
        const operation = open(event);
        operations.push(operation);
        byIndex.set(event.i, operation);
        break;
      }
      case "ok":
      case "fail":
      case "info": {
        const operation = byIndex.get(event.of);
        if (operation !== undefined) operation.completion = event;
        break;
      }
      case "note":
        add(notes, event.f, event);
        break;
      case "end":
        status = "complete";
        break;
    }
  }
  return {
    operations,
    status,
    byMethod: lookup(operations, (operation) => operation.f),
    byTarget: lookup(operations, (operation) => operation.target),
    byProbe: lookup(operations, (operation) => operation.probe?.slice(0, operation.probe.indexOf("/"))),
    byScenario: lookup(operations, (operation) => operation.scenario),
    at: (index) => byIndex.get(index),
    notes: (kind) => (notes.get(kind) ?? []).map((event) => ({ event, value: event.value as NoteValue<typeof kind> })),
  };
}

/** What was asked, if the operation is one of `f`. */
export const invokeValue = <F extends Recorded>(operation: Operation, f: F): InvokeValue<F> | undefined =>
  operation.f === f ? (operation.invoke.value as InvokeValue<F>) : undefined;

/** What came back, if the operation is one of `f` and succeeded. */
export const okValue = <F extends Recorded>(operation: Operation, f: F): OkValue<F> | undefined =>
  operation.f === f && operation.completion?.type === "ok" ? (operation.completion.value as OkValue<F>) : undefined;

/** How it failed (`fail`: certainly without effect; `info`: nobody knows), if it did. */
export const notOk = (operation: Operation): NotOk | undefined =>
  operation.completion === undefined || operation.completion.type === "ok" ? undefined : operation.completion;

/** Nanoseconds from just before the bytes went out until the end of the call. */
export const durationNs = ({ completion }: Operation): number | undefined =>
  completion === undefined ? undefined : completion.t - completion.sent;

function open(invoke: Invoke): Building {
  const { i, f, target, scenario, probe, process } = invoke;
  const operation: Building = { index: i, invoke, f, target, scenario, process };
  if (probe !== undefined) operation.probe = probe;
  return operation;
}

const NONE: readonly Operation[] = [];

/** The index is built at the first look-up: most judges use one or two of them. */
function lookup(operations: readonly Operation[], key: (operation: Operation) => string | undefined) {
  let index: Map<string, Operation[]> | undefined;
  return (wanted: string): readonly Operation[] => {
    index ??= indexed(operations, key);
    return index.get(wanted) ?? NONE;
  };
}

function indexed(operations: readonly Operation[], key: (operation: Operation) => string | undefined) {
  const index = new Map<string, Operation[]>();
  for (const operation of operations) {
    const name = key(operation);
    if (name !== undefined) add(index, name, operation);
  }
  return index;
}

function add<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [item]);
  else list.push(item);
}
