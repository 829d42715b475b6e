import { expect, test } from "vitest";
import { isPartial, selectedChecks, selectedIds } from "../../analysis/selection.ts";
import { areaOf, idsOfProfile } from "../../contract/requirements.ts";
import { CHECKS, SCENARIOS } from "../../suites/catalogue.ts";
import { proveEnvironment, resultsOf, wholeRun } from "./whole-run.ts";

const none = { checks: [], suites: [], skip: [] };
const everyRun = CHECKS.filter((check) => check.everyRun === true).map(({ id }) => id);
const chosen = (wanted: Parameters<typeof selectedChecks>[0]) =>
  selectedChecks(wanted)
    .filter(({ selected }) => selected)
    .map(({ check }) => check.id);

test("a profile without a selection is the whole of it", () => {
  expect(selectedIds({ profile: "prove" })).toEqual([...idsOfProfile("prove")]);
  expect(isPartial({ profile: "prove", selection: none })).toBe(false);
  expect(chosen({ profile: "prove", selection: none })).toEqual(CHECKS.map(({ id }) => id));
});

test("naming checks or suites reaches beyond the profile, and is a part of it", () => {
  const selection = { ...none, checks: ["egress.*"] };
  expect(selectedIds({ profile: "prove", selection }).every((id) => areaOf(id) === "egress")).toBe(true);
  expect(selectedIds({ profile: "prove", selection }).length).toBeGreaterThan(10);
  expect(isPartial({ profile: "prove", selection })).toBe(true);
  expect(chosen({ profile: "prove", selection: { ...none, suites: ["exec"] } })).toEqual(
    CHECKS.filter(({ id }) => areaOf(id) === "exec").map(({ id }) => id),
  );
});

test("a skip of something in the profile makes a part of it; of something outside it does not", () => {
  expect(isPartial({ profile: "prove", selection: { ...none, skip: ["exec.exit-code"] } })).toBe(true);
  expect(isPartial({ profile: "prove", selection: { ...none, skip: ["fork.*"] } })).toBe(false);
});

test("what frames every run is judged in every run", () => {
  const judged = selectedChecks({ profile: "prove", selection: { ...none, checks: ["exec.exit-code"] } });
  expect(judged.filter(({ selected }) => !selected).map(({ check }) => check.id)).toEqual(everyRun);
});

test("a check that was switched off is shown, decides nothing and is never conformant", () => {
  const results = resultsOf(wholeRun(), proveEnvironment({ selection: { ...none, skip: ["exec.exit-code"] } }));
  expect(results.checks.find(({ id }) => id === "exec.exit-code")).toMatchObject({
    status: "disabled",
    deciding: false,
  });
  expect(results.verdict.conformance).toBe("passed-selection");
  expect(results.notTested.some(({ what }) => what === "exec.exit-code")).toBe(true);
});

test("a residue plane that was switched off leaves residue unknown", () => {
  const results = resultsOf(wholeRun(), proveEnvironment({ selection: { ...none, skip: ["residue.processes"] } }));
  expect(results.verdict.residue).toBe("unknown");
  expect(results.exitCode).toBe(2);
});

test("every built check can be selected alone: a scenario feeds it, or every run frames it", () => {
  const fed = new Set(SCENARIOS.flatMap(({ feeds }) => feeds));
  expect(CHECKS.filter(({ id, everyRun: framed }) => !fed.has(id) && framed !== true).map(({ id }) => id)).toEqual([]);
  expect([...fed].filter((id) => !CHECKS.some((check) => check.id === id))).toEqual([]);
});
