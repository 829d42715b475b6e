/** The shape of one event: its envelope by `type`, its value by `f`. */
import type { TSchema } from "typebox";
import { closed } from "../schemas/core.ts";
import { EventEnvelope, type HistoryEvent, NOTES, OPERATIONS } from "../schemas/event.ts";
import { type Checked, check } from "../schemas/validate.ts";

// The branch is picked by `type`: it is faster than trying all of them, and the problem then names the place.
const [invoke, ok, notOk, note, end] = EventEnvelope.anyOf;
const ENVELOPES: ReadonlyMap<unknown, TSchema> = new Map<unknown, TSchema>([
  ["invoke", invoke],
  ["ok", ok],
  ["fail", notOk],
  ["info", notOk],
  ["note", note],
  ["end", end],
]);

const INVOKES = new Map<string, TSchema>(Object.entries(OPERATIONS).map(([f, schema]) => [f, schema.invoke]));
const OKS = new Map<string, TSchema>(Object.entries(OPERATIONS).map(([f, schema]) => [f, schema.ok]));
const NOTE_VALUES = new Map<string, TSchema>(Object.entries(NOTES));
/** The value of a method outside {@link OPERATIONS}: only that it was called is recorded. */
const BARE = closed({});

const refused = (problem: string): Checked<HistoryEvent> => ({ ok: false, problem });

export function checkEvent(candidate: unknown): Checked<HistoryEvent> {
  if (typeof candidate !== "object" || candidate === null) return refused("the whole must be an object");
  const envelope = ENVELOPES.get("type" in candidate ? candidate.type : undefined);
  if (envelope === undefined) return refused("/type must be invoke, ok, fail, info, note or end");
  const enclosed = check(envelope, candidate);
  if (!enclosed.ok) return enclosed;
  const event = candidate as HistoryEvent;
  const schema = valueSchema(event);
  if (schema === "none") return { ok: true, value: event };
  if (schema === "unknown") return refused("/f must be a kind of note");
  const value = check(schema, "value" in event ? event.value : undefined);
  return value.ok ? { ok: true, value: event } : refused(`/value ${value.problem}`);
}

/** Compiles every schema of an event now, tens of milliseconds that would else fall between two events. */
export function prepareSchemas(): void {
  for (const schemas of [ENVELOPES, INVOKES, OKS, NOTE_VALUES])
    for (const schema of schemas.values()) check(schema, {});
}

function valueSchema(event: HistoryEvent): TSchema | "none" | "unknown" {
  switch (event.type) {
    case "invoke":
      return INVOKES.get(event.f) ?? BARE;
    case "ok":
      return OKS.get(event.f) ?? BARE;
    case "note":
      return NOTE_VALUES.get(event.f) ?? "unknown";
    case "fail":
    case "info":
    case "end":
      return "none";
  }
}
