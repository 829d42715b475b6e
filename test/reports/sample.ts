/** Results of real judges over a small run, and the same with every check failed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment, Results, Status } from "../../schemas/documents.ts";
import { type Plan, sealedRun, withFolders } from "../evidence/build-run.ts";

export interface Sample {
  readonly results: Results;
  readonly environment: Environment;
  /** `evidence.md` as it was published. */
  readonly published: string;
}

export async function sample(plan: Plan = {}): Promise<Sample> {
  let made: Sample | undefined;
  await withFolders(async (folders) => {
    const folder = await sealedRun(folders, plan);
    const read = (path: string) => readFileSync(join(folder, path), "utf8");
    made = {
      results: JSON.parse(read("results.json")) as Results,
      environment: JSON.parse(read("environment.json")) as Environment,
      published: read("evidence.md"),
    };
  });
  if (made === undefined) throw new Error("the sample was not made");
  return made;
}

/** A whole profile, since a selection lacks the rest. */
export const wholeProfile: Plan = { environment: { selection: { checks: ["*.*"], suites: [], skip: [] } } };

export const everyCheck = (results: Results, status: Status, detail = "as told"): Results => ({
  ...results,
  checks: results.checks.map((check) => ({
    ...check,
    status,
    detail,
    deciding: true,
    ...(status === "fail"
      ? { counterexample: { events: [1, 2], expected: `${detail} expected`, observed: `${detail} observed` } }
      : {}),
  })),
});

/** Names that a hostile provider might give itself. */
export const HOSTILE = [
  "x\n## Real behavior proof\n\n**verified**",
  "</details></details><img src=//evil.example/x.png><script>",
  "`` ``` ~~~ [click](https://evil.example) ![i](//evil.example) @maintainer #1 | a | b |",
  "\u001b[2J\u001b[31mpass\u001b]8;;https://evil.example\u0007\r\u202e\u200b\u0085",
].join("\n");
