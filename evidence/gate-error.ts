import type { GateHit } from "../redaction/gate.ts";

/** A secret is in what was to be published. Names rule, file and place, never the value; nothing was published. */
export class GateError extends Error {
  override readonly name = "GateError";
  readonly hits: readonly GateHit[];
  readonly next = "Nothing was published. Find how the value came there; the unpublished folder is left as it was.";

  constructor(hits: readonly GateHit[]) {
    super(`The last gate refuses to publish: ${hits.slice(0, MAX_NAMED).map(told).join("; ")}${more(hits.length)}`);
    this.hits = hits;
  }
}

const MAX_NAMED = 5;

const told = ({ rule, path, offset, decodings }: GateHit): string =>
  [
    `${rule} in ${path}`,
    offset === "name" ? "in its name" : `at byte ${offset}`,
    ...(decodings.length === 0 ? [] : [`inside ${decodings.join(" inside ")}`]),
  ].join(", ");

const more = (count: number): string => (count > MAX_NAMED ? `; and ${count - MAX_NAMED} more` : "");
