import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { analyseRun } from "../../evidence/analyse-run.ts";
import { buildRun, edit, relist, sealedRun, withFolders } from "./build-run.ts";

test("judging an unchanged run again gives the stored bytes, each time", () =>
  withFolders(async (folders) => {
    const folder = await sealedRun(folders);
    const stored = readFileSync(join(folder, "results.json"), "utf8");
    for (const _ of [1, 2]) {
      const { text, differences, problems } = await analyseRun(folder);
      expect(text).toBe(stored);
      expect(differences).toEqual([]);
      expect(problems).toEqual([]);
    }
  }));

test("a flipped verdict and status are named, also when the manifest was made again", () =>
  withFolders(async (folders) => {
    const folder = await sealedRun(folders, { seven: 0 });
    edit(folder, "results.json", (text) =>
      text
        .replace('"conformance": "violated"', '"conformance": "passed-selection"')
        .replace('"status": "fail"', '"status": "pass"'),
    );
    relist(folder);
    const { differences, problems, results } = await analyseRun(folder);
    expect(results.verdict.conformance).toBe("violated");
    expect(problems).toEqual([]);
    expect(differences).toEqual([
      { where: "results.json: checks[exec.exit-code].status", stored: '"pass"', judged: '"fail"' },
      { where: "results.json: verdict.conformance", stored: '"passed-selection"', judged: '"violated"' },
    ]);
  }));

test("a check that was taken out is one difference", () =>
  withFolders(async (folders) => {
    const folder = await sealedRun(folders);
    edit(folder, "results.json", (text) => {
      const results = JSON.parse(text) as { checks: { id: string }[] };
      results.checks = results.checks.filter(({ id }) => id !== "residue.processes");
      return `${JSON.stringify(results, undefined, 2)}\n`;
    });
    const { differences } = await analyseRun(folder);
    expect(differences).toMatchObject([{ where: "results.json: checks[residue.processes]", stored: "nothing" }]);
  }));

test("an edited dossier is named by line, also when the manifest was made again", () =>
  withFolders(async (folders) => {
    const folder = await sealedRun(folders, { seven: 0 });
    edit(folder, "evidence.md", (text) => text.replace("violated", "conformant"));
    relist(folder);
    expect((await analyseRun(folder)).differences).toEqual([
      { where: "evidence.md:4", stored: "another line", judged: "not that line" },
    ]);
  }));

test("a killed run is judged as far as it goes, and says so", () =>
  withFolders(async ({ partial }) => {
    buildRun(partial, { seven: 0, end: "killed" });
    const { results, problems, differences } = await analyseRun(partial);
    expect(results.history).toBe("truncated");
    expect(results.verdict.conformance).toBe("violated");
    expect(problems).toMatchObject([{ problem: expect.stringMatching(/^truncated/) as string }]);
    expect(differences).toEqual([]);
  }));
