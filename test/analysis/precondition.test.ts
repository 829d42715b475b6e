import { expect, test } from "vitest";
import type { ErrorCode } from "../../schemas/core.ts";
import { failed, type History, history, refused } from "../suites/history.ts";
import { resultsOf } from "./whole-run.ts";

const firstRefused = (code: ErrorCode) =>
  history()
    .check(true)
    .create("by", { ends: refused(code) })
    .teardown()
    .end();

test.each<[string, History]>([
  ["the provider says that it is not ready", history().check(false).end()],
  ["no credentials", firstRefused("unauthenticated")],
  ["no right", firstRefused("permission-denied")],
  ["no quota", firstRefused("quota-exceeded")],
])("every check is blocked: %s", (_why, h) => {
  const results = resultsOf(h);
  expect(new Set(results.checks.map(({ status }) => status))).toEqual(new Set(["blocked"]));
  expect(results.verdict.conformance).toBe("blocked");
  expect(results.exitCode).toBe(4);
});

test.each<[string, History]>([
  ["another refusal", firstRefused("invalid-argument")],
  [
    "the first refused among several at once",
    history()
      .check(true)
      .create("s1", { ends: refused("quota-exceeded") })
      .create("s2")
      .teardown()
      .end(),
  ],
  [
    "an error that says nothing",
    history()
      .check(true)
      .create("by", { ends: failed("internal") })
      .teardown()
      .end(),
  ],
  [
    "a later refusal",
    history()
      .check(true)
      .create("by")
      .create("s1", { ends: refused("quota-exceeded") })
      .teardown()
      .end(),
  ],
])("is not blocked, and not fine: %s", (_why, h) => {
  const results = resultsOf(h);
  expect(results.counts.blocked).toBe(0);
  expect(results.verdict.conformance).toBe("unknown");
  expect(results.exitCode).toBe(2);
});

test("what an adapter did wrong before it was blocked stays a violation", () => {
  const h = history().check(false).note("adapter-fault", { fault: "stdout-not-message" }).end();
  expect(resultsOf(h).exitCode).toBe(1);
});
