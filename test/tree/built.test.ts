import { expect, test } from "vitest";
import { requirementSet } from "../../contract/requirements.ts";
import { CHECKS } from "../../suites/catalogue.ts";

test("a check is built in the requirement set exactly when the suites have it, at the same level", () => {
  const built = requirementSet().checks.filter((check) => check.built);
  const inOrder = (checks: readonly { readonly id: string; readonly level: string }[]) =>
    checks.map(({ id, level }) => `${id} ${level}`).sort();
  expect(inOrder(built)).toEqual(inOrder(CHECKS));
});
