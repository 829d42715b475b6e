/** What a check may pass on: the whole of what was to exercise it. */
import { expect, test } from "vitest";
import type { Environment } from "../../schemas/documents.ts";
import type { NoteValue } from "../../schemas/event.ts";
import { SCENARIOS } from "../../suites/catalogue.ts";
import { history, lost, refused } from "../suites/history.ts";
import { proveEnvironment, resultsOf, wholeRun, without } from "./whole-run.ts";

/** The whole run, but one scenario ended otherwise. */
function endingAs(id: string, outcome: NoteValue<"scenario-ended">["outcome"] | "not run", environment?: Environment) {
  const isIts = (event: { type: string; f?: string; scenario?: string }) =>
    event.type === "note" && event.f === "scenario-ended" && event.scenario === id;
  const h = wholeRun();
  if (outcome === "not run") without(h, isIts);
  for (const event of h.events) if (isIts(event)) Object.assign(event, { value: { outcome } });
  return resultsOf(h, environment);
}
const statusOf = (results: ReturnType<typeof resultsOf>, id: string) => {
  const { status, cause } = results.checks.find((check) => check.id === id) ?? {};
  return cause === undefined ? status : `${status}: ${cause}`;
};

test.each(["abandoned", "skipped", "interrupted", "not run"] as const)(
  "a scenario that was %s leaves each check that it feeds undecided, and no other",
  (outcome) => {
    for (const { id, feeds } of SCENARIOS) {
      const results = endingAs(id, outcome);
      const undecided = results.checks.filter(({ status }) => status !== "pass").map((check) => check.id);
      expect(undecided.sort(), id).toEqual([...feeds].sort());
      expect(results.verdict.conformance === "conformant" && results.verdict.residue === "none", id).toBe(false);
      expect(results.exitCode, id).toBe(2);
    }
  },
);

test("a scenario that crashed is our fault in each check that it feeds", () => {
  const results = endingAs("exec.commands", "crashed");
  expect(statusOf(results, "exec.exit-code")).toBe("harness-error");
  expect(statusOf(results, "exec.at-most-once")).toBe("pass");
  expect(results.verdict.conformance).toBe("harness-error");
  expect(results.exitCode).toBe(255);
});

test("a violation that was seen stays one, whatever became of the scenario", () => {
  const h = wholeRun();
  const seven = h.events.find((event) => event.type === "invoke" && event.probe === "exec.exit-code/exit-7");
  const told = h.events.find((event) => event.type === "ok" && event.of === seven?.i);
  if (told?.type === "ok") Object.assign(told.value as object, { exit: { kind: "exited", code: 0 } });
  for (const event of h.events)
    if (event.type === "note" && event.scenario === "exec.commands")
      Object.assign(event, { value: { outcome: "crashed" } });
  const results = resultsOf(h);
  expect(statusOf(results, "exec.exit-code")).toBe("fail");
  expect(statusOf(results, "exec.argv-exact")).toBe("harness-error");
  expect(results.exitCode).toBe(1);
});

test("a scenario for a capability that is not declared is not missed", () => {
  const h = without(wholeRun(), (event) => "scenario" in event && event.scenario.startsWith("files."));
  h.in("adapter.undeclared").stat("s3", { probe: "adapter.undeclared-refused/files", ends: refused("unsupported") });
  const results = resultsOf(h, proveEnvironment({ capabilities: {} }));
  expect(statusOf(results, "files.round-trip")).toBe("unsupported");
});

test("an option that is not declared and accepted is a violation, never unsupported", () => {
  const accepted = wholeRun().in("adapter.undeclared").stat("s3", { probe: "adapter.undeclared-refused/files" });
  const results = resultsOf(accepted, proveEnvironment({ capabilities: {} }));
  expect(statusOf(results, "files.round-trip")).toBe("fail");
  expect(results.exitCode).toBe(1);
});

test("a scenario that the adapter's death ended is told as the adapter's", () => {
  const h = history()
    .create("by")
    .in("exec.commands")
    .create("s1", { ends: lost("died") })
    .ended("abandoned", "exec.commands")
    .end();
  expect(statusOf(resultsOf(h), "exec.exit-code")).toBe("unknown: adapter-fault");
});

test("what nobody saw since nothing ran is not excused as a lack of witnesses", () => {
  const h = history().check(true).create("by").ended("abandoned").teardown().end();
  const stops = resultsOf(h).checks.find(({ id }) => id === "lifecycle.destroy-stops-processes");
  expect(stops).toMatchObject({ status: "unknown", cause: "too-few", deciding: true });
});

test("where no witness can exist the check is told as not tested, and does not decide outside profile full", () => {
  const ownKernel = (profile: Environment["profile"]) =>
    resultsOf(wholeRun(), proveEnvironment({ boundary: "own-kernel", profile })).checks.find(
      ({ id }) => id === "lifecycle.destroy-stops-processes",
    );
  expect(ownKernel("prove")).toMatchObject({ status: "unknown", cause: "no-witness", deciding: false });
  expect(ownKernel("full")).toMatchObject({ status: "unknown", cause: "no-witness", deciding: true });
});
