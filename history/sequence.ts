/** The rules between events: order, time, and which call a completion belongs to. Writer and reader share them. */
import type { HistoryEvent, Note, NotOk, Ok } from "../schemas/event.ts";

export type SequenceRule = "index" | "time" | "of" | "sent" | "after-end" | "count";
export interface Broken {
  readonly rule: SequenceRule;
  readonly problem: string;
}

interface Call {
  readonly f: string;
  readonly t: number;
  open: boolean;
}

const broken = (rule: SequenceRule, problem: string): Broken => ({ rule, problem });

export class Sequence {
  #next = 0;
  #time = 0;
  #ended = false;
  readonly #calls = new Map<number, Call>();

  /** Index of the next event. */
  get next(): number {
    return this.#next;
  }

  /** `t` of the last event, ns; 0 before the first. */
  get time(): number {
    return this.#time;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The first rule that the event would break here. */
  fault(event: HistoryEvent): Broken | undefined {
    if (this.#ended) return broken("after-end", "nothing may follow the end event");
    if (event.i !== this.#next) return broken("index", `index ${event.i} where ${this.#next} is due`);
    if (event.t < this.#time) return broken("time", "t is before the t of an earlier event");
    switch (event.type) {
      case "invoke":
        return undefined;
      case "end":
        return event.count === event.i
          ? undefined
          : broken("count", "count is not the number of events before the end");
      case "note":
        return this.#noteFault(event);
      case "ok":
      case "fail":
      case "info":
        return this.#completionFault(event);
    }
  }

  /** Takes the event in. The reader takes in broken ones too, so that one fault is told once. */
  take(event: HistoryEvent): void {
    this.#next = event.i + 1;
    this.#time = Math.max(this.#time, event.t);
    switch (event.type) {
      case "invoke":
        this.#calls.set(event.i, { f: event.f, t: event.t, open: true });
        break;
      case "ok":
      case "fail":
      case "info":
        this.#close(event.of);
        break;
      case "end":
        this.#ended = true;
        break;
      case "note":
        break;
    }
  }

  #close(index: number): void {
    const call = this.#calls.get(index);
    if (call !== undefined) call.open = false;
  }

  #noteFault(note: Note): Broken | undefined {
    if (note.of === undefined || this.#calls.has(note.of)) return undefined;
    return broken("of", `of ${note.of} is not an earlier invoke`);
  }

  #completionFault(completion: Ok | NotOk): Broken | undefined {
    const call = this.#calls.get(completion.of);
    if (call === undefined) return broken("of", `of ${completion.of} is not an earlier invoke`);
    if (!call.open) return broken("of", `of ${completion.of} is completed already`);
    if (call.f !== completion.f) return broken("of", `f is not that of the invoke ${completion.of}`);
    if (completion.sent < call.t || completion.sent > completion.t)
      return broken("sent", "sent is not between the invoke and the completion");
    return undefined;
  }
}
