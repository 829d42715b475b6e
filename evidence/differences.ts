/** Where two documents differ, named by path. */
import { escapeTerminal } from "../redaction/escape.ts";

export interface Difference {
  /** Such as `results.json: checks[lifecycle.destroy-ends].status`; escaped for a terminal. */
  readonly where: string;
  readonly stored: string;
  readonly judged: string;
}

/** One edited sentence must not fill the report, nor one edited file. */
const MAX_DIFFERENCES = 50;
const MAX_SHOWN = 160;

/** @param stored and `judged` fit the same schema, so their depth is bounded. */
export const differences = (path: string, stored: unknown, judged: unknown): readonly Difference[] =>
  [...walk("", stored, judged)]
    .map((found) => ({ ...found, where: escapeTerminal(`${path}: ${found.where}`) }))
    .slice(0, MAX_DIFFERENCES);

function* walk(where: string, stored: unknown, judged: unknown): Generator<Difference> {
  if (isNode(stored) && isNode(judged) && Array.isArray(stored) === Array.isArray(judged)) {
    const [one, other] = [members(stored), members(judged)];
    for (const key of new Set([...one.keys(), ...other.keys()])) {
      const name = Array.isArray(stored) ? `${where}[${key}]` : where === "" ? key : `${where}.${key}`;
      yield* walk(name, one.get(key), other.get(key));
    }
  } else if (!Object.is(stored, judged)) {
    yield { where: where === "" ? "the whole" : where, stored: shown(stored), judged: shown(judged) };
  }
}

const isNode = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Checks and planes by name rather than by place, so that one that was taken out is one difference. */
function members(value: object): Map<string, unknown> {
  if (!Array.isArray(value)) return new Map(Object.entries(value));
  return new Map(value.map((item: unknown, place) => [nameOf(item) ?? String(place), item]));
}

function nameOf(item: unknown): string | undefined {
  if (!isNode(item)) return undefined;
  const name = ("id" in item && item.id) || ("plane" in item && item.plane) || ("what" in item && item.what);
  return typeof name === "string" ? name : undefined;
}

function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = escapeTerminal(JSON.stringify(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
