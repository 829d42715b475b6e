/** Tells a person who watches how far a run is: a live line in a terminal, plain lines elsewhere. */
import { escapeTerminal } from "../redaction/escape.ts";
import { clip } from "./text.ts";
import { seconds } from "./words.ts";

export interface ProgressOptions {
  /** By default `live` in a terminal and `plain` elsewhere. */
  readonly mode?: "live" | "plain" | "quiet";
  /** Monotonic, ns. */
  readonly clock?: { now(): number };
}

interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** How often the elapsed time of the live line moves on. */
const REPAINT_MS = 500;
const DEFAULT_COLUMNS = 80;
const TO_LINE_START_AND_CLEAR = "\r\x1b[2K";

const MARKS: Readonly<Record<string, string>> = { completed: "•", crashed: "!", interrupted: "■", skipped: "○" };

export class Progress {
  readonly #output: Output;
  readonly #mode: "live" | "plain" | "quiet";
  readonly #now: () => number;
  readonly #begun: number;
  readonly #running = new Map<string, { readonly label: string; readonly since: number }>();
  #painter: NodeJS.Timeout | undefined;

  constructor(output: Output, { mode, clock }: ProgressOptions = {}) {
    this.#output = output;
    this.#mode = mode ?? (output.isTTY === true ? "live" : "plain");
    this.#now = clock === undefined ? () => Number(process.hrtime.bigint()) : () => clock.now();
    this.#begun = this.#now();
  }

  /** @param index from 0. */
  started(scenario: string, index: number, total: number): void {
    this.#running.set(scenario, { label: `[${index + 1}/${total}] ${escapeTerminal(scenario)}`, since: this.#now() });
    if (this.#mode !== "live") return;
    this.#paint();
    this.#painter ??= setInterval(() => this.#paint(), REPAINT_MS).unref();
  }

  /** @param reason why it did not simply complete. */
  finished(scenario: string, outcome: string, reason?: string): void {
    const running = this.#running.get(scenario) ?? { label: escapeTerminal(scenario), since: this.#now() };
    this.#running.delete(scenario);
    if (this.#mode === "quiet") return;
    const why = reason === undefined ? "" : `: ${escapeTerminal(reason)}`;
    const took = seconds(this.#now() - running.since);
    this.#clear();
    const mark = MARKS[outcome] ?? "?";
    this.#output.write(`${mark} ${running.label} ${escapeTerminal(outcome)} in ${took}${why}\n`);
    if (this.#mode === "live") this.#paint();
  }

  /** Leaves the terminal as it was found. May be called more than once. */
  end(): void {
    clearInterval(this.#painter);
    this.#painter = undefined;
    this.#running.clear();
    this.#clear();
  }

  #paint(): void {
    if (this.#running.size === 0) return;
    const now = this.#now();
    const running = [...this.#running.values()].map(({ label, since }) => `${label} ${seconds(now - since)}`);
    const line = `… ${running.join(" · ")} · run ${seconds(now - this.#begun)}`;
    this.#output.write(TO_LINE_START_AND_CLEAR + clip(line, (this.#output.columns ?? DEFAULT_COLUMNS) - 1));
  }

  #clear(): void {
    if (this.#mode === "live") this.#output.write(TO_LINE_START_AND_CLEAR);
  }
}
