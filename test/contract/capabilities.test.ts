import { expect, it } from "vitest";
import { CAPABILITY_METHODS } from "../../contract/capabilities.ts";
import { METHODS } from "../../schemas/messages.ts";

const ALWAYS = ["describe", "check", "create", "observe", "list", "exec", "destroy", "shutdown"];

it("every wire method is either always there or brought by exactly one capability", () => {
  const brought = Object.values(CAPABILITY_METHODS).flat();
  expect(new Set(brought).size).toBe(brought.length);
  expect([...ALWAYS, ...brought].sort()).toEqual(Object.keys(METHODS).sort());
});
