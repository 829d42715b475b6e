/** Appends events to a history: gives each its index, time and link, and refuses what the reader would refuse. */
import { closeSync, fsyncSync, openSync } from "node:fs";
import type { Clock } from "../contract/clock.ts";
import type { End, EventDraft, HistoryEvent } from "../schemas/event.ts";
import { lineHash } from "./chain.ts";
import { Sequence } from "./sequence.ts";
import { checkEvent, prepareSchemas } from "./shape.ts";
import { writeWhole } from "./write-whole.ts";

export interface WriterOptions {
  /** A file that does not exist yet, in a folder that does. */
  readonly path: string;
  /** `prev` of the first event, from `genesis`. */
  readonly genesis: string;
  readonly clock: Clock;
}

/** The order of members in every line, between `i`, `t` and `prev`. */
const ORDER = ["type", "process", "scenario", "f", "of", "sent", "target", "probe", "error", "value", "count"];
type Draft = EventDraft | Omit<End, "i" | "t" | "prev">;

export class HistoryWriter {
  readonly #clock: Clock;
  readonly #sequence = new Sequence();
  #prev: string;
  #file: number | undefined;

  private constructor(file: number, { genesis, clock }: WriterOptions) {
    this.#file = file;
    this.#prev = genesis;
    this.#clock = clock;
  }

  /** @throws `EEXIST` if there is a file already: a history is written once. */
  static create(options: WriterOptions): HistoryWriter {
    prepareSchemas();
    return new HistoryWriter(openSync(options.path, "wx"), options);
  }

  /** Events written so far, the end event included. */
  get count(): number {
    return this.#sequence.next;
  }

  /**
   * The event as a reader will get it.
   * @param at ns by the run's clock when it happened, by default now; a time before the last event's is raised to that.
   * @throws when the event breaks the schema or the sequence (an error of ours), and when the disk refuses.
   */
  append(draft: EventDraft, at?: number): HistoryEvent {
    return this.#write(draft, at);
  }

  /** Writes the end event and closes. Without it a history is truncated by definition. */
  end(): void {
    this.#write({ type: "end", count: this.#sequence.next });
    const file = this.#file;
    this.#file = undefined;
    if (file === undefined) return;
    fsyncSync(file);
    closeSync(file);
  }

  #write(draft: Draft, at?: number): HistoryEvent {
    const file = this.#file;
    if (file === undefined) throw new Error("the history is closed");
    const i = this.#sequence.next;
    const t = Math.max(at ?? this.#clock.now(), this.#sequence.time);
    const line = JSON.stringify({ i, t, ...inOrder(draft), prev: this.#prev });
    // Checked as it will be read back, not as it was handed in.
    const checked = checkEvent(JSON.parse(line));
    if (!checked.ok) throw new Error(`event ${i} does not fit: ${checked.problem}`);
    const event = checked.value;
    const fault = this.#sequence.fault(event);
    if (fault !== undefined) throw new Error(`event ${i} does not follow: ${fault.problem}`);
    try {
      // One write a line: a harness that is killed leaves whole lines and at most one torn tail.
      writeWhole(file, `${line}\n`);
    } catch (cause) {
      this.#file = undefined;
      closeSync(file);
      throw new Error("the history could not be written and ends here", { cause });
    }
    this.#sequence.take(event);
    this.#prev = lineHash(line);
    return event;
  }
}

/** Members that are not in the order stay, for the schema to refuse. */
const inOrder = (draft: Draft): object =>
  Object.fromEntries(Object.entries(draft).sort(([one], [other]) => ORDER.indexOf(one) - ORDER.indexOf(other)));
