import { describe, expect, test } from "vitest";
import { importsOf, violations } from "./boundaries.ts";
import { readTree, treeFiles } from "./files.ts";

describe("import boundaries", () => {
  test("hold in the whole tree", () => {
    const files = treeFiles("**/*.ts");
    expect(files).toContain("contract/port.ts");
    expect(files.flatMap((file) => violations(file, readTree(file)))).toEqual([]);
  });

  test.each([
    ["contract/a.ts", 'import { x } from "../engine/x.ts";'],
    ["schemas/a.ts", 'export * from "../contract/port.ts";'],
    ["engine/a.ts", 'const x = await import("../providers/namespaces/index.ts");'],
    ["suites/exec/judges/a.ts", 'import { readFileSync } from "node:fs";'],
    ["suites/exec/judges/a.ts", 'import type { Recorder } from "../../../engine/recorder.ts";'],
    ["suites/exec/judges/a.ts", "const now = Date.now();"],
    ["suites/exec/scenarios/a.ts", 'import {\n  x,\n} from "../../../engine/recorder.ts";'],
    ["providers/a/index.ts", 'import { x } from "../b/inner.ts";'],
    ["mutants/a.ts", 'import "../engine/x.ts";'],
    ["examples/adapters/a.ts", 'import { x } from "../../contract/errors.ts";'],
    ["elsewhere/a.ts", ""],
  ])("a planted violation in %s is found", (file, source) => {
    expect(violations(file, source)).toHaveLength(1);
  });

  test.each([
    ["contract/a.ts", 'import type { Exit } from "../schemas/core.ts";'],
    ["suites/exec/scenarios/a.ts", 'import type { Recorder } from "../../../engine/recorder.ts";'],
    ["providers/a/index.ts", 'import open from "../b/index.ts";'],
    ["examples/adapters/a.ts", 'import { x } from "../../index.ts";'],
    ["contract/a.ts", '// import { x } from "../engine/x.ts";'],
  ])("an allowed import in %s is let through", (file, source) => {
    expect(violations(file, source)).toEqual([]);
  });

  test("the scanner sees each form of import", () => {
    const source = `import a from "a";\nimport { b,\n  bb } from "b";\nimport type { C } from "c";\nimport "d";
export { e } from "e";\nexport * from "f";\nconst g = () => import("g");\nexport const no = "from";\nimport h, { hh } from "h" with { type: "json" };`;
    expect(importsOf(source).map(({ specifier }) => specifier)).toEqual(["a", "b", "c", "d", "e", "f", "h", "g"]);
  });
});
