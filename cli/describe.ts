/** The first word with an adapter: what it says about itself, and whether it takes the options that were given. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { Interrupted } from "../engine/errors.ts";
import type { AdapterSession } from "../engine/session.ts";
import { escapeTerminal } from "../redaction/escape.ts";
import type { KnownValues } from "../redaction/known-values.ts";
import type { Description } from "../schemas/description.ts";
import type { StderrTail } from "./stderr-tail.ts";
import { UsageError } from "./usage.ts";

const DESCRIBE_MS = 30_000;
const GRACE_MS = 0;

/** The adapter cannot be spoken with: nothing was made, nothing can be judged. */
export class AdapterUnusable extends Error {
  override readonly name = "AdapterUnusable";
}

interface Listening {
  readonly log: StderrTail;
  readonly known: KnownValues;
  readonly stop: AbortSignal;
}

/**
 * Leaves the adapter running. Throws `AdapterUnusable`; `UsageError` when it cannot be started or does not know the
 * options; `Interrupted` when the person does not want to wait.
 */
export async function openDescription(
  session: AdapterSession,
  options: Readonly<Record<string, string>>,
  { log, known, stop }: Listening,
): Promise<Description> {
  const { channel } = session.channel();
  const { outcome } = channel.call(
    "describe",
    { contract: 1, options },
    { deadlineMs: DESCRIBE_MS, graceMs: GRACE_MS },
  );
  const answer = await Promise.race([outcome, aborted(stop)]);
  if (answer === "stopped") throw new Interrupted();
  if (channel.startError !== undefined) {
    const { startError } = channel;
    const why = "code" in startError ? String(startError.code) : startError.message;
    throw new UsageError(
      `The adapter's program cannot be started (${why}).`,
      "Check that it is there, may be executed, and is written as --adapter -- program arguments.",
    );
  }
  if (answer.kind !== "ok") {
    const why =
      answer.kind === "error" ? answer.error.message : answer.kind === "malformed" ? answer.problem : WHY[answer.kind];
    const tail = log.text();
    throw new AdapterUnusable(
      `The adapter did not describe itself: ${escapeTerminal(known.redact(why))}.${tail === "" ? "" : `\nIts last words:\n${tail.split("\n").map(escapeTerminal).join("\n")}`}`,
    );
  }
  const wide = answer.result.localState.find(isTooWide);
  if (wide !== undefined)
    throw new AdapterUnusable(
      `The adapter's localState names too much to be looked through: ${escapeTerminal(wide)}. It takes two folders in full, and no \`**\`.`,
    );
  const validate = compile(answer.result.options);
  if (!validate(options)) {
    const names = Object.keys(answer.result.options["properties"] ?? {});
    const unknown = Object.keys(options).filter((name) => !names.includes(name));
    // A value is not repeated: it may be a credential.
    const { instancePath = "", message = "" } = validate.errors?.[0] ?? {};
    throw new UsageError(
      unknown.length > 0
        ? `The adapter has no option ${unknown.map(escapeTerminal).join(", ")}.`
        : `The adapter does not take these options: ${[instancePath.slice(1), message].join(" ").trim()}.`,
      names.length === 0 ? "It has no options." : `Its options: ${names.join(", ")}.`,
    );
  }
  return answer.result;
}

/** A place to look into after the run is a place of the adapter's own, not a disk. */
const isTooWide = (glob: string): boolean => {
  const fixed = glob
    .split("/")
    .filter((part) => part !== "")
    .findIndex((part) => /[*?[{]/.test(part));
  return glob.includes("**") || (fixed !== -1 && fixed < 2);
};

/** The adapter's own schema of its options; what cannot be compiled is its fault. */
function compile(schema: object): ValidateFunction {
  try {
    return new Ajv2020({ strict: false }).compile(schema);
  } catch {
    throw new AdapterUnusable("The adapter's `options` are no JSON Schema (2020-12) that stands by itself.");
  }
}

const WHY = { deadline: `no answer within ${DESCRIBE_MS / 1000} s`, died: "it ended without an answer" } as const;

const aborted = (signal: AbortSignal): Promise<"stopped"> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve("stopped");
    else signal.addEventListener("abort", () => resolve("stopped"), { once: true });
  });
