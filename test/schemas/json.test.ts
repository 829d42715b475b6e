import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { readTree, treeFiles } from "../tree/files.ts";

const names = treeFiles("schemas/json/*.json");

test("the published schemas are there", () => {
  expect(names).toEqual(expect.arrayContaining(["schemas/json/event.json", "schemas/json/create.params.json"]));
});

test.each(names)("%s is a JSON Schema of its own, with its own $id", (name) => {
  const schema = JSON.parse(readTree(name)) as { $id: string };
  expect(schema.$id).toBe(`sandproof:${name.slice("schemas/json/".length, -".json".length)}/1`);
  expect(() => new Ajv2020({ strict: false }).compile(schema)).not.toThrow();
});

test("the event schema holds `value` to the operation that it names", () => {
  const fits = new Ajv2020({ strict: false }).compile(JSON.parse(readTree("schemas/json/event.json")) as object);
  const event = { i: 0, t: 1, process: 0, scenario: "exec.exit-code", prev: "0".repeat(64), type: "invoke", f: "list" };
  expect(fits({ ...event, value: { filter: "run" } })).toBe(true);
  expect(fits({ ...event, value: { filter: "everything" } })).toBe(false);
});
