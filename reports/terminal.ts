/** The one screen that ends a run. */
import { styleText } from "node:util";
import { escapeTerminal } from "../redaction/escape.ts";
import type { CheckResult, Results, Status } from "../schemas/documents.ts";
import { clip, shellLine, wrap } from "./text.ts";
import {
  byArea,
  columns,
  conformanceWords,
  failures,
  itemsOn,
  MARKS,
  planeWords,
  plural,
  residueWords,
  seconds,
  statusWords,
  undecided,
} from "./words.ts";

export interface ScreenOptions {
  readonly colour: boolean;
  /** The folder where the evidence stands, as the reader can type it. */
  readonly out: string;
  /** What this command ends with, where that is not the run's own code, and why. */
  readonly ending?: { readonly exitCode: number; readonly why: string };
  /** Views that are in that folder; none where nobody sealed it. */
  readonly views?: readonly string[];
  /** What follows `--`, where the subject is a program and not a provider. */
  readonly program?: readonly string[];
  /** Of the run, for the command that runs a failed check again. */
  readonly seed?: string;
  /** Characters a line; 80 by default, never under 60. */
  readonly width?: number;
}

const DEFAULT_WIDTH = 80;
const MIN_WIDTH = 60;
/** More would push the verdict off the screen; the rest is in the files. */
const MAX_FAILURES = 5;
const MAX_UNDECIDED = 5;
const MAX_NOT_TESTED = 6;

type Colour = "green" | "red" | "yellow" | "dim" | "bold";

/** What the parts of a screen share. */
class Screen {
  readonly width: number;
  readonly out: string;
  readonly #colour: boolean;
  readonly #lines: string[] = [];

  constructor({ colour, width, out }: ScreenOptions) {
    this.#colour = colour;
    this.width = Math.max(MIN_WIDTH, width ?? DEFAULT_WIDTH);
    this.out = escapeTerminal(out);
  }

  paint(colour: Colour, text: string): string {
    return this.#colour ? styleText(colour, text, { validateStream: false }) : text;
  }

  line(text = ""): void {
    this.#lines.push(text);
  }

  verdict(status: Status, what: string, words: string): void {
    const margin = 14;
    wrap(words, this.width - margin).forEach((piece, place) => {
      const left = place === 0 ? `${MARKS[status]} ${what}` : "";
      this.line(this.paint(COLOURS[status], left.padEnd(margin)) + this.paint("bold", piece));
    });
  }

  heading(text: string): void {
    this.line();
    this.line(this.paint("bold", text));
  }

  /** `label` once, `text` in as many lines as it needs beside it. */
  labelled(label: string, text: string, indent = 4): void {
    const margin = indent + 11;
    wrap(escapeTerminal(text), this.width - margin).forEach((piece, place) => {
      const left = " ".repeat(indent) + (place === 0 ? label : "").padEnd(11);
      this.line(this.paint("dim", left) + piece);
    });
  }

  text(): string {
    return `${this.#lines.join("\n")}\n`;
  }
}

const COLOURS: Readonly<Record<Status, Colour>> = {
  pass: "green",
  fail: "red",
  unknown: "yellow",
  unsupported: "dim",
  "not-applicable": "dim",
  disabled: "dim",
  blocked: "yellow",
  "harness-error": "red",
};

/** Verdicts first, then why; each mark has its word beside it. Ends with a newline. */
export function finalScreen(results: Results, options: ScreenOptions): string {
  const screen = new Screen(options);
  verdicts(screen, results);
  areas(screen, results);
  failed(screen, results, options);
  notDecided(screen, results);
  residue(screen, results);
  notTested(screen, results);
  files(screen, results, options);
  return screen.text();
}

function verdicts(screen: Screen, results: Results): void {
  const { conformance, residue } = results.verdict;
  const passed = conformance === "conformant" || conformance === "passed-selection" ? "pass" : conformance;
  const first: Status = passed === "violated" ? "fail" : passed;
  const second: Status = residue === "none" ? "pass" : residue === "left" ? "fail" : "unknown";
  const whole = (status: Status): Status => (status === "pass" && results.history === "truncated" ? "unknown" : status);
  if (results.history === "truncated")
    screen.line(screen.paint("yellow", "The history breaks off: what follows is about the recorded part only."));
  screen.verdict(whole(first), "Conformance", conformanceWords(results));
  screen.verdict(whole(second), "Residue", residueWords(results));
  const { provider, profile, sandboxes, durationNs, checks } = results;
  const subject = `${escapeTerminal(provider)}, profile ${profile}: ${plural(checks.length, "check")} in ${seconds(durationNs)}; ${plural(sandboxes.created, "create")} acknowledged, ${plural(sandboxes.ended, "sandbox", "sandboxes")} destroyed`;
  for (const piece of wrap(subject, screen.width - 2)) screen.line(`  ${screen.paint("dim", piece)}`);
}

const NAMES: Readonly<Record<Status, string>> = {
  pass: "pass",
  fail: "fail",
  unknown: "unknown",
  unsupported: "unsupp.",
  "not-applicable": "n/a",
  disabled: "off",
  blocked: "blocked",
  "harness-error": "error",
};

function areas(screen: Screen, results: Results): void {
  const statuses = columns(results);
  const rows = byArea(results);
  const wide = Math.max(...rows.map(({ area }) => area.length), 4);
  screen.line();
  screen.line(screen.paint("dim", `  ${"area".padEnd(wide)}${statuses.map((s) => NAMES[s].padStart(9)).join("")}`));
  for (const { area, counts } of rows) {
    const cells = statuses.map((status) => {
      const count = counts[status];
      return count === 0
        ? screen.paint("dim", "·".padStart(9))
        : screen.paint(COLOURS[status], String(count).padStart(9));
    });
    screen.line(`  ${escapeTerminal(area).padEnd(wide)}${cells.join("")}`);
  }
}

function failed(screen: Screen, results: Results, options: ScreenOptions): void {
  const list = failures(results);
  if (list.length === 0) return;
  screen.heading(`Failures (${list.length})`);
  for (const check of list.slice(0, MAX_FAILURES))
    oneFailure(screen, check, again(results.provider, check.id, options));
  const rest = list.slice(MAX_FAILURES);
  if (rest.length > 0) screen.labelled("also", rest.map(({ id }) => id).join(", "), 2);
}

const again = (provider: string, id: string, { program, seed }: ScreenOptions): string =>
  shellLine([
    "sandproof",
    "run",
    ...(program === undefined ? [provider] : []),
    "--check",
    id,
    ...(seed === undefined ? [] : ["--seed", seed]),
    ...(program === undefined ? [] : ["--adapter", "--", ...program]),
  ]);

function oneFailure(screen: Screen, check: CheckResult, command: string): void {
  const { id, requirement, counterexample, detail, deciding, known } = check;
  const aside =
    known === undefined ? (deciding ? "" : ", does not decide") : `, known: ${escapeTerminal(known.reason)}`;
  screen.line(`  ${screen.paint("red", `${MARKS.fail} ${id} fails`)}${screen.paint("dim", aside)}`);
  screen.labelled("must hold", requirement);
  if (counterexample === undefined) screen.labelled("because", detail);
  else {
    screen.labelled("expected", counterexample.expected);
    screen.labelled("observed", counterexample.observed);
    if (counterexample.events.length > 0) screen.labelled("events", counterexample.events.slice(0, 12).join(", "));
  }
  // Not wrapped: a command is copied whole.
  screen.line(screen.paint("dim", `    ${"again".padEnd(11)}`) + command);
}

function notDecided(screen: Screen, results: Results): void {
  const list = undecided(results);
  if (list.length === 0) return;
  screen.heading(`Undecided (${list.length})`);
  const [{ status, detail } = { status: undefined, detail: undefined }] = list;
  if (list.length > MAX_UNDECIDED && list.every((check) => check.status === status && check.detail === detail)) {
    screen.line(`  ${plural(list.length, "check")} ${status ?? ""}`);
    screen.labelled("because", detail ?? "");
    return;
  }
  for (const check of list.slice(0, MAX_UNDECIDED)) {
    screen.line(`  ${screen.paint(COLOURS[check.status], `${MARKS[check.status]} ${check.id}`)} ${statusWords(check)}`);
    screen.labelled("because", check.detail);
  }
  const rest = list.slice(MAX_UNDECIDED);
  if (rest.length > 0) screen.labelled("also", rest.map(({ id }) => id).join(", "), 2);
}

function residue(screen: Screen, { planes }: Results): void {
  const wide = Math.max(...planes.map(({ plane }) => plane.length), 5);
  screen.heading("Residue by plane");
  screen.line(screen.paint("dim", `    ${"".padEnd(wide)}  during  after`));
  for (const row of planes) {
    const { plane, status } = row;
    const left = `${plane.padEnd(wide)}  ${itemsOn(row, "during").padStart(6)}  ${itemsOn(row, "after").padStart(5)}`;
    const why = escapeTerminal(planeWords(row));
    screen.line(
      `  ${screen.paint(COLOURS[status], MARKS[status])} ${left}  ${clip(why, screen.width - left.length - 6)}`,
    );
  }
}

function notTested(screen: Screen, results: Results): void {
  const list = results.notTested;
  screen.heading(`Not tested (${list.length})`);
  for (const { what, why } of list.slice(0, MAX_NOT_TESTED))
    screen.line(`  ${clip(`${escapeTerminal(what)}: ${escapeTerminal(why)}`, screen.width - 2)}`);
  if (list.length > MAX_NOT_TESTED) screen.line(screen.paint("dim", `  and ${list.length - MAX_NOT_TESTED} more`));
}

const VIEWS: Readonly<Record<string, string>> = {
  "evidence.md": "text for an issue or pull request",
  "results.json": "verdicts, checks and counts",
};

function files(screen: Screen, results: Results, { views = Object.keys(VIEWS), ending }: ScreenOptions): void {
  screen.heading("Files");
  screen.line(`  ${screen.out}`);
  for (const view of views) screen.line(`    ${view.padEnd(14)} ${screen.paint("dim", VIEWS[view] ?? "")}`);
  screen.line(`  Judge it again: ${shellLine(["sandproof", "analyze", screen.out])}`);
  screen.line();
  // Once more at the end: on a small screen the first lines have gone.
  const last =
    ending === undefined
      ? `${conformanceWords(results)}; residue ${results.verdict.residue}. Exit code ${results.exitCode}.`
      : `${ending.why} Exit code ${ending.exitCode}.`;
  for (const piece of wrap(last, screen.width - 2)) screen.line(`  ${screen.paint("dim", piece)}`);
}
