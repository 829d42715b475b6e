/** Every judge of the catalogue over histories that are good, bad, and neither. */
import { describe, expect, test } from "vitest";
import type { UnknownCause } from "../../schemas/documents.ts";
import { CHECKS } from "../../suites/catalogue.ts";
import { adapterCases } from "./cases/adapter.ts";
import type { Case, Cases } from "./cases/case.ts";
import { execCases } from "./cases/exec.ts";
import { filesCases } from "./cases/files.ts";
import { isolationCases } from "./cases/isolation.ts";
import { attemptCases } from "./cases/lifecycle-attempts.ts";
import { lifeCases } from "./cases/lifecycle-life.ts";
import { residueCases } from "./cases/residue.ts";
import { History } from "./history.ts";

const ALL: Readonly<Record<string, Cases>> = {
  ...adapterCases,
  ...lifeCases,
  ...attemptCases,
  ...execCases,
  ...filesCases,
  ...isolationCases,
  ...residueCases,
};

const historyOf = (given: Case): History => (given instanceof History ? given : given[0]);
const judge = (check: string, given: Case) => historyOf(given).judge(check, given instanceof History ? {} : given[1]);

test("each check has two histories on which it passes, two on which it fails, and one that decides nothing", () => {
  expect(Object.keys(ALL).sort()).toEqual(CHECKS.map(({ id }) => id).sort());
  const thin = Object.entries(ALL).filter(
    ([, { good, bad, unknown }]) =>
      Object.keys(good).length < 2 || Object.keys(bad).length < 2 || Object.keys(unknown).length < 1,
  );
  expect(thin.map(([id]) => id)).toEqual([]);
});

describe.each(Object.entries(ALL))("%s", (id, { good, bad, unknown }) => {
  test.each(Object.entries(good))("passes: %s", (_name, given) => {
    expect(judge(id, given)).toMatchObject({ status: "pass" });
  });

  test.each(Object.entries(bad))("fails: %s", (_name, given) => {
    const judged = judge(id, given);
    expect(judged).toMatchObject({ status: "fail" });
    const { events } = judged.status === "fail" ? judged.counterexample : { events: [-1] };
    expect(events.filter((i) => historyOf(given).events[i] === undefined)).toEqual([]);
  });

  const undecided = Object.entries(unknown).flatMap(([cause, cases]) =>
    Object.entries(cases).map(([name, given]) => [cause as UnknownCause, name, given] as const),
  );
  test.each(undecided)("is unknown (%s): %s", (cause, _name, given) => {
    expect(judge(id, given)).toMatchObject({ status: "unknown", cause });
  });
});
