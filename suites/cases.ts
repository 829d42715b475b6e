/** Judging operations by what they were expected to bring. */
import { invokeValue, notOk, type Operation, okValue } from "../history/view.ts";
import type { Exit } from "../schemas/core.ts";
import type { Made, Seen } from "../schemas/event.ts";
import { all, type Evidence, fail, type Judgement, pass, unknown } from "./check.ts";

/** Every case of a check must have happened and brought what was expected. */
export function judgeCases(evidence: Evidence, checkId: string, atLeast = 1): Judgement {
  const operations = evidence.history.byProbe(checkId);
  if (operations.length < atLeast) {
    return unknown("too-few", `${operations.length} of at least ${atLeast} cases were exercised`);
  }
  const [first, ...rest] = operations.map(judgeExpectation);
  return first === undefined ? unknown("too-few", "no case was exercised") : all(first, ...rest);
}

/** Did one operation bring what its `expect` says? A definite refusal of what must work is a violation. */
export function judgeExpectation(operation: Operation): Judgement {
  const lost = judgeLoss(operation);
  if (lost !== undefined) return lost;
  const wrong = mismatch(operation);
  const events = eventsOf(operation);
  return wrong === undefined
    ? pass("port", 1, "every case brought what was expected")
    : fail("port", events, `${caseOf(operation)}: ${wrong.expected}`, wrong.observed);
}

/** What is left to say of an operation that did not succeed; undefined when it did. */
export function judgeLoss(operation: Operation): Judgement | undefined {
  if (operation.completion === undefined) return unknown("indeterminate", `${caseOf(operation)} has no completion`);
  const failure = notOk(operation);
  if (failure === undefined) return undefined;
  const { code } = failure.error;
  if (lostByAdapter(operation))
    return unknown("adapter-fault", `${caseOf(operation)}: the adapter gave no valid reply`);
  if (failure.type === "info" || failure.error.origin !== "reply")
    return unknown("indeterminate", `${caseOf(operation)} ended without a known effect (${code})`);
  return fail("port", eventsOf(operation), `${caseOf(operation)} succeeds`, `refused with ${code}`);
}

/** The adapter died or broke the port in this call: nothing that the provider did can be told from it. */
export function lostByAdapter(operation: Operation): boolean {
  const origin = notOk(operation)?.error.origin;
  return origin === "died" || origin === "malformed";
}

export const eventsOf = (operation: Operation): number[] =>
  operation.completion === undefined ? [operation.index] : [operation.index, operation.completion.i];

export const caseOf = (operation: Operation): string => operation.probe?.split("/")[1] ?? operation.f;

interface Mismatch {
  readonly expected: string;
  readonly observed: string;
}

function mismatch(operation: Operation): Mismatch | undefined {
  switch (operation.f) {
    case "exec":
      return execMismatch(operation);
    case "files.write": {
      const asked = invokeValue(operation, "files.write");
      const got = okValue(operation, "files.write");
      return asked?.content.bytes === got?.bytes
        ? undefined
        : { expected: `${asked?.content.bytes} bytes written`, observed: `${got?.bytes}` };
    }
    case "files.read": {
      const expected = invokeValue(operation, "files.read")?.expect;
      const got = okValue(operation, "files.read");
      if (expected === undefined || got === undefined) return undefined;
      if (got.bytes !== got.content.bytes)
        return { expected: `${got.bytes} bytes, as the reply says`, observed: `${got.content.bytes} bytes delivered` };
      return contentMismatch("content", expected, got.content);
    }
    default:
      return undefined;
  }
}

function execMismatch(operation: Operation): Mismatch | undefined {
  const expect = invokeValue(operation, "exec")?.expect;
  const got = okValue(operation, "exec");
  if (expect === undefined || got === undefined) return undefined;
  if (expect.exit !== undefined && describeExit(expect.exit) !== describeExit(got.exit)) {
    return { expected: describeExit(expect.exit), observed: describeExit(got.exit) };
  }
  return (
    (expect.stdout === undefined ? undefined : contentMismatch("stdout", expect.stdout, got.stdout)) ??
    (expect.stderr === undefined ? undefined : contentMismatch("stderr", expect.stderr, got.stderr))
  );
}

function contentMismatch(name: string, expected: Made, seen: Seen): Mismatch | undefined {
  if (expected.hmac === seen.hmac) return undefined;
  const how = expected.bytes === seen.bytes ? "other bytes of the same length" : `${seen.bytes} other bytes`;
  return { expected: `${name} of ${expected.bytes} bytes as sent`, observed: how };
}

export function describeExit(exit: Exit): string {
  switch (exit.kind) {
    case "exited":
      return `exit code ${exit.code}`;
    case "signaled":
      return `death by ${exit.signal}`;
    case "timed-out":
      return "timed out";
    case "unknown":
      return "unknown exit";
  }
}
