import { array, assert, nat, property } from "fast-check";
import { expect, test } from "vitest";
import { analyse } from "../../analysis/analyse.ts";
import { Results } from "../../schemas/documents.ts";
import type { HistoryEvent } from "../../schemas/event.ts";
import { check } from "../../schemas/validate.ts";
import { factsOf, proveEnvironment, resultsOf, wholeRun } from "./whole-run.ts";

const events = wholeRun().events;
const whole = resultsOf(wholeRun());

test("the whole run conforms, on every check and plane", () => {
  expect(whole.checks.filter(({ status }) => status !== "pass")).toEqual([]);
  expect(whole.verdict).toEqual({ conformance: "conformant", residue: "none" });
  expect(whole.exitCode).toBe(0);
  expect(check(Results, whole)).toMatchObject({ ok: true });
});

test("the same facts give the same bytes", () => {
  expect(JSON.stringify(resultsOf(wholeRun()))).toBe(JSON.stringify(whole));
});

const reordered = (value: unknown, order: (keys: string[]) => string[]): unknown => {
  if (Array.isArray(value)) return value.map((item) => reordered(item, order));
  if (typeof value !== "object" || value === null) return value;
  const members = value as Record<string, unknown>;
  return Object.fromEntries(order(Object.keys(members)).map((key) => [key, reordered(members[key], order)]));
};

test("the order of members in an event does not matter", () => {
  for (const order of [(keys: string[]) => keys.toReversed(), (keys: string[]) => keys.toSorted()]) {
    const facts = factsOf(wholeRun());
    const shuffled = { ...facts, events: reordered(facts.events, order) as HistoryEvent[] };
    expect(JSON.stringify(analyse(shuffled))).toBe(JSON.stringify(whole));
  }
});

test("every prefix is judged, never as conformant, and its results fit their schema", () => {
  for (let length = 0; length < events.length; length += 1) {
    const facts = factsOf(wholeRun());
    const results = analyse({ ...facts, events: facts.events.slice(0, length) });
    expect(results.verdict, `after ${length} events`).toMatchObject({ conformance: "unknown", residue: "unknown" });
    expect(results.checks.filter(({ status }) => status === "harness-error")).toEqual([]);
    expect(check(Results, results)).toMatchObject({ ok: true });
    expect(results.notTested.length).toBeGreaterThan(0);
  }
});

test("no set of events that were lost makes a judge throw", () => {
  assert(
    property(array(nat(events.length - 1), { maxLength: 40 }), (lost) => {
      const gone = new Set(lost);
      const facts = factsOf(wholeRun());
      const kept = facts.events.filter(({ i }) => !gone.has(i));
      const results = analyse({ ...facts, events: kept });
      expect(results.checks.filter(({ status }) => status === "harness-error")).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

test("what no run can show is told even where everything passed", () => {
  expect(whole.notTested.map(({ what }) => what)).toEqual([
    "187 of the 221 requirements of contract 1",
    "anything outside this run",
  ]);
  expect(whole.notTested[0]?.why).toMatch(/^not asked for by this run: adapter 9, lifecycle \d+, .*egress 30/);
  const core = resultsOf(wholeRun(), proveEnvironment({ profile: "core" }));
  expect(core.notTested.length).toBeGreaterThan(1);
});
