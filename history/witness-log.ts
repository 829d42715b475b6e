/** `witness.ndjson`: what the witnesses saw, in the witness's own time. No chain and no end: the bundle's digest binds it. */
import { closeSync, fsyncSync, openSync } from "node:fs";
import type { Clock } from "../contract/clock.ts";
import { WITNESS, type WitnessKind, WitnessRecord, type WitnessValue } from "../schemas/documents.ts";
import { type Checked, check } from "../schemas/validate.ts";
import { parseLine } from "./json-line.ts";
import { type Line, readLines, type Source } from "./lines.ts";
import { MAX_PROBLEMS, type Problem } from "./reader.ts";
import { writeWhole } from "./write-whole.ts";

export type WitnessSource = WitnessRecord["source"];

export class WitnessLog {
  readonly #clock: Clock;
  #file: number | undefined;
  #next = 0;

  private constructor(file: number, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  /** @param options `path` must not exist yet; `clock` is the witness's own. @throws `EEXIST`. */
  static create({ path, clock }: { readonly path: string; readonly clock: Clock }): WitnessLog {
    return new WitnessLog(openSync(path, "wx"), clock);
  }

  get count(): number {
    return this.#next;
  }

  /** @param at ns by the witness's clock, by default now. @throws when the value does not fit its kind. */
  append<K extends WitnessKind>(source: WitnessSource, kind: K, value: WitnessValue<K>, at?: number): WitnessRecord {
    if (this.#file === undefined) throw new Error("the witness log is closed");
    const line = JSON.stringify({ i: this.#next, t: at ?? this.#clock.now(), source, kind, value });
    const checked = checkRecord(JSON.parse(line));
    if (!checked.ok) throw new Error(`witness record ${this.#next} (${kind}) does not fit: ${checked.problem}`);
    writeWhole(this.#file, `${line}\n`);
    this.#next += 1;
    return checked.value;
  }

  close(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    fsyncSync(file);
    closeSync(file);
  }
}

export interface LoadedWitness {
  readonly records: readonly WitnessRecord[];
  /** `torn`: the last line has no newline, as a killed writer leaves it. */
  readonly tail: "whole" | "torn";
  readonly problems: readonly Problem[];
}

/** @throws only what the file system throws. */
export async function loadWitness(source: Source): Promise<LoadedWitness> {
  const records: WitnessRecord[] = [];
  const problems: Problem[] = [];
  let tail: LoadedWitness["tail"] = "whole";
  let number = 0;
  for await (const batch of readLines(source)) {
    for (const line of batch) {
      number += 1;
      const read = readRecord(line, records.at(-1));
      if (read === "torn") tail = "torn";
      else if ("record" in read) records.push(read.record);
      else if (problems.length < MAX_PROBLEMS) problems.push({ line: number, ...read });
    }
  }
  return { records, tail, problems };
}

type Read = "torn" | { readonly record: WitnessRecord } | Omit<Problem, "line">;

function readRecord(line: Line, before: WitnessRecord | undefined): Read {
  if (line.kind === "torn") return "torn";
  if (line.kind === "too-long") return { rule: "too-long", problem: "the line is longer than 1 MiB" };
  const parsed = parseLine(line.bytes);
  if (!parsed.ok) return { rule: parsed.rule, problem: parsed.problem };
  const checked = checkRecord(parsed.value);
  if (!checked.ok) return { rule: "schema", problem: checked.problem };
  const due = before === undefined ? 0 : before.i + 1;
  if (checked.value.i !== due) return { rule: "index", problem: `index ${checked.value.i} where ${due} is due` };
  return { record: checked.value };
}

function checkRecord(candidate: unknown): Checked<WitnessRecord> {
  const enclosed = check(WitnessRecord, candidate);
  if (!enclosed.ok) return enclosed;
  const value = check(WITNESS[enclosed.value.kind], enclosed.value.value);
  return value.ok
    ? { ok: true, value: enclosed.value as WitnessRecord }
    : { ok: false, problem: `/value ${value.problem}` };
}
