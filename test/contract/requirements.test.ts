import { expect, test } from "vitest";
import { idsOfProfile, requirementSet } from "../../contract/requirements.ts";
import { RequirementSet } from "../../schemas/documents.ts";
import { check } from "../../schemas/validate.ts";

test("the requirement set fits its schema and names each check once", () => {
  const ids = requirementSet().checks.map(({ id }) => id);
  expect(check(RequirementSet, requirementSet())).toMatchObject({ ok: true });
  expect(ids).toHaveLength(221);
  expect(new Set(ids).size).toBe(ids.length);
});

test("prove is within core, core within full, and full is everything", () => {
  const [prove, core, full] = [idsOfProfile("prove"), idsOfProfile("core"), idsOfProfile("full")];
  expect([prove.length, core.length, full.length]).toEqual([34, 111, 221]);
  expect(core).toEqual(expect.arrayContaining([...prove]));
  expect(full).toEqual(requirementSet().checks.map(({ id }) => id));
});
