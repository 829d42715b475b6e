/** The first word with an adapter: what it says about itself, and whether it takes the options that were given. */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { AdapterSession } from "../engine/session.ts";
import { escapeTerminal } from "../redaction/escape.ts";
import type { Description } from "../schemas/description.ts";
import type { StderrTail } from "./stderr-tail.ts";
import { UsageError } from "./usage.ts";

const DESCRIBE_MS = 30_000;
const GRACE_MS = 0;

/** The adapter cannot be spoken with: nothing was made, nothing can be judged. */
export class AdapterUnusable extends Error {
  override readonly name = "AdapterUnusable";
}

/** Leaves the adapter running. Throws `AdapterUnusable`, or `UsageError` for options that it does not know. */
export async function openDescription(
  session: AdapterSession,
  options: Readonly<Record<string, string>>,
  log: StderrTail,
): Promise<Description> {
  const { channel } = session.channel();
  const { outcome } = channel.call(
    "describe",
    { contract: 1, options },
    { deadlineMs: DESCRIBE_MS, graceMs: GRACE_MS },
  );
  const answer = await outcome;
  if (answer.kind !== "ok") {
    const why =
      answer.kind === "error" ? answer.error.message : answer.kind === "malformed" ? answer.problem : answer.kind;
    const tail = log.text();
    throw new AdapterUnusable(
      `The adapter did not describe itself: ${why}${tail === "" ? "" : `\nIts last words:\n${escapeTerminal(tail)}`}`,
    );
  }
  const validate = new Ajv2020({ strict: false }).compile(answer.result.options);
  if (!validate(options)) {
    const [problem] = validate.errors ?? [];
    const names = Object.keys(answer.result.options["properties"] ?? {});
    throw new UsageError(
      `The adapter does not take these options: ${problem?.instancePath ?? ""} ${problem?.message ?? ""}.`,
      names.length === 0 ? "It has no options." : `Its options: ${names.join(", ")}.`,
    );
  }
  return answer.result;
}
