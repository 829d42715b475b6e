/** Reads a history and says everything that is wrong with it. Hostile input is a list of problems, never an exception. */
import type { HistoryEvent } from "../schemas/event.ts";
import { lineHash } from "./chain.ts";
import { parseLine } from "./json-line.ts";
import { type Line, readLines, type Source } from "./lines.ts";
import { Sequence, type SequenceRule } from "./sequence.ts";
import { checkEvent } from "./shape.ts";

/** Problems after these are not listed: one damaged block must not fill the report. */
export const MAX_PROBLEMS = 100;

export interface Problem {
  /** Counted from 1. */
  readonly line: number;
  readonly rule: SequenceRule | "json" | "canonical" | "schema" | "chain" | "too-long";
  readonly problem: string;
}

/** `truncated`: no end event. A killed run leaves that; it is not a problem by itself. */
export interface HistorySummary {
  readonly status: "complete" | "truncated";
  readonly problems: readonly Problem[];
}
export interface LoadedHistory extends HistorySummary {
  /** Those that fit the schema, in the order of the file. With no problems, `events[i].i === i`. */
  readonly events: readonly HistoryEvent[];
}
export interface ReadOptions {
  /** `prev` that the first line must have; without it the first line's is taken as it is. */
  readonly genesis?: string | undefined;
}

/** The whole history in memory. @throws only what the file system throws. */
export async function loadHistory(source: Source, options: ReadOptions = {}): Promise<LoadedHistory> {
  const reading = new Reading(options.genesis);
  const events: HistoryEvent[] = [];
  for await (const batch of readLines(source)) {
    for (const line of batch) {
      const event = reading.take(line);
      if (event !== undefined) events.push(event);
    }
  }
  return { events, ...reading.summary() };
}

/** The events one by one, in bounded memory for each; the generator returns the summary. */
export async function* readHistory(source: Source, genesis?: string): AsyncGenerator<HistoryEvent, HistorySummary> {
  const reading = new Reading(genesis);
  for await (const batch of readLines(source)) {
    for (const line of batch) {
      const event = reading.take(line);
      if (event !== undefined) yield event;
    }
  }
  return reading.summary();
}

class Reading {
  readonly #sequence = new Sequence();
  readonly #problems: Problem[] = [];
  #prev: string | undefined;
  #line = 0;

  constructor(genesis: string | undefined) {
    this.#prev = genesis;
  }

  take(line: Line): HistoryEvent | undefined {
    this.#line += 1;
    switch (line.kind) {
      case "torn":
        // After the end event there is nothing that a killed writer could have torn.
        if (this.#sequence.ended) this.#report("after-end", "nothing may follow the end event");
        return undefined;
      case "too-long":
        this.#prev = undefined;
        this.#report("too-long", "the line is longer than 1 MiB");
        return undefined;
      case "whole":
        return this.#event(line.bytes);
    }
  }

  summary(): HistorySummary {
    return { status: this.#sequence.ended ? "complete" : "truncated", problems: this.#problems };
  }

  #event(bytes: Uint8Array): HistoryEvent | undefined {
    const due = this.#prev;
    this.#prev = lineHash(bytes);
    const parsed = parseLine(bytes);
    if (!parsed.ok) {
      this.#report(parsed.rule, parsed.problem);
      return undefined;
    }
    const checked = checkEvent(parsed.value);
    if (!checked.ok) {
      this.#report("schema", checked.problem);
      return undefined;
    }
    const event = checked.value;
    if (due !== undefined && event.prev !== due) this.#report("chain", "prev is not the digest of the line before");
    const broken = this.#sequence.fault(event);
    if (broken !== undefined) this.#report(broken.rule, broken.problem);
    this.#sequence.take(event);
    return event;
  }

  #report(rule: Problem["rule"], problem: string): void {
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ line: this.#line, rule, problem });
  }
}
