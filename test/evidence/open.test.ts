import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EvidenceError } from "../../evidence/errors.ts";
import { openRun } from "../../evidence/open.ts";
import { buildRun, edit, relist, sealedRun, withFolders } from "./build-run.ts";

const HISTORY = "history/0.ndjson";

/** Problems as `where: problem`. */
const problemsOf = async (folder: string) =>
  (await openRun(folder)).problems.map(({ where, problem }) => `${where}: ${problem}`);

const afterEdit = (change: (folder: string) => void, due: readonly (string | RegExp)[]) =>
  withFolders(async (folders) => {
    const folder = await sealedRun(folders);
    change(folder);
    const found = await problemsOf(folder);
    for (const problem of due) expect(found).toContainEqual(expect.stringMatching(problem));
  });

test("a sealed run opens whole, and stays whole where it is copied to", () =>
  withFolders(async (folders) => {
    const folder = await sealedRun(folders);
    const copy = `${folder}-copy`;
    cpSync(folder, copy, { recursive: true });
    const run = await openRun(copy);
    expect(run.problems).toEqual([]);
    expect(run.form).toBe("sealed");
    expect(run.history).toBe("complete");
    expect(run.manifest?.root).toBe(run.root);
    expect(run.results?.value.root).toBe(run.root);
  }));

test("an edited event breaks the chain at the next line, also when the manifest was made again", () =>
  afterEdit(
    (folder) => {
      edit(folder, HISTORY, (text) => text.replace('"code":7}}}', '"code":8}}}'));
      relist(folder);
    },
    [
      /^history\/0\.ndjson:\d+: chain: prev is not the digest of the line before$/,
      /^results\.json: judged from other facts/,
    ],
  ));

test("a deleted line is named by its index and by the chain", () =>
  afterEdit(
    (folder) => edit(folder, HISTORY, (text) => text.split("\n").toSpliced(3, 1).join("\n")),
    [
      /^history\/0\.ndjson:4: chain/,
      /^history\/0\.ndjson:4: index: index 4 where 3 is due/,
      /^history\/0\.ndjson: changed/,
    ],
  ));

test("two lines that changed places are named", () =>
  afterEdit(
    (folder) =>
      edit(folder, HISTORY, (text) => {
        const lines = text.split("\n");
        return lines.toSpliced(3, 2, lines[4] ?? "", lines[3] ?? "").join("\n");
      }),
    [/^history\/0\.ndjson:4: chain/, /^history\/0\.ndjson:4: index/],
  ));

test("a history of another environment does not fit its genesis", () =>
  afterEdit(
    (folder) => {
      edit(folder, "environment.json", (text) => text.replace('"seed": "42"', '"seed": "43"'));
      relist(folder);
    },
    [/^history\/0\.ndjson:1: chain/],
  ));

test("a swapped witness log is a changed file and another root", () =>
  withFolders(async (folders) => {
    const folder = await sealedRun(folders);
    const other = { partial: `${folder}2.partial`, out: `${folder}2` };
    await sealedRun(other, { left: 1 });
    renameSync(join(other.out, "witness.ndjson"), join(folder, "witness.ndjson"));
    expect(await problemsOf(folder)).toEqual([
      "witness.ndjson: changed: its digest is not the one in manifest.json",
      "manifest.json: its root is not that of the facts that are there",
      "results.json: judged from other facts: its root is not that of the facts that are there",
    ]);
  }));

test("missing files are named, each of them", () =>
  afterEdit(
    (folder) => {
      for (const path of [HISTORY, "evidence.md", "results.json"]) rmSync(join(folder, path));
    },
    [/^history\/0\.ndjson: missing file$/, /^evidence\.md: missing file: listed/, /^results\.json: missing file$/],
  ));

test("extra files are named: foreign ones, views and links, which are not followed", () =>
  afterEdit(
    (folder) => {
      writeFileSync(join(folder, "notes.txt"), "");
      writeFileSync(join(folder, "report.html"), "");
      writeFileSync(join(folder, "history", "\u001b[31m.ndjson"), "");
      symlinkSync("/etc/hostname", join(folder, "junit.xml"));
      mkdirSync(join(folder, "a/b/c/d"), { recursive: true });
    },
    [
      /^notes\.txt: extra file: no part of a run$/,
      /^report\.html: extra file: not listed in manifest\.json$/,
      /^history\/\\u\{1b\}\[31m\.ndjson: extra file/,
      /^junit\.xml: neither a file nor a folder/,
      /^a\/b\/c: deeper than any folder of a run/,
    ],
  ));

test("a manifest that lists outside the folder opens nothing there", () =>
  afterEdit(
    (folder) =>
      edit(folder, "manifest.json", (text) => text.replace('"path": "evidence.md"', '"path": "../run/evidence.md"')),
    [
      /^\.\.\/run\/evidence\.md: listed as a view/,
      /^\.\.\/run\/evidence\.md: missing file/,
      /^evidence\.md: extra file/,
    ],
  ));

test("a torn tail is a truncated history; what was whole is there", () =>
  withFolders(async ({ partial }) => {
    buildRun(partial);
    const path = join(partial, HISTORY);
    const whole = (await openRun(partial)).events.length;
    truncateSync(path, readFileSync(path).byteLength - 20);
    const run = await openRun(partial);
    expect(run.form).toBe("partial");
    expect(run.history).toBe("truncated");
    expect(run.events).toHaveLength(whole - 1);
    expect(run.problems).toEqual([
      { where: HISTORY, problem: `truncated: no end event after ${whole - 1} events (killed, or its tail cut)` },
    ]);
  }));

test("a killed run without a torn line opens too, and is truncated", () =>
  withFolders(async ({ partial }) => {
    buildRun(partial, { end: "killed" });
    appendFileSync(join(partial, "witness.ndjson"), '{"i":');
    expect(await problemsOf(partial)).toEqual([
      expect.stringMatching(/^history\/0\.ndjson: truncated/),
      "witness.ndjson: torn: the last line has no end",
    ]);
  }));

test("hostile bytes in any file are problems, never a crash", () =>
  withFolders(async (folders) => {
    const folder = await sealedRun(folders);
    const deep = `${"[".repeat(400_000)}${"]".repeat(400_000)}`;
    for (const bytes of [Buffer.from([0xff, 0xfe, 0x00]), Buffer.from(deep), Buffer.from(`{"a":1,"a":2}\n`)]) {
      for (const path of [HISTORY, "witness.ndjson", "results.json", "manifest.json", "evidence.md"])
        writeFileSync(join(folder, path), Buffer.concat([bytes, Buffer.from("\n")]));
      const run = await openRun(folder);
      expect(run.events).toEqual([]);
      expect(run.results).toBeUndefined();
      for (const path of [HISTORY, "witness.ndjson", "results.json", "manifest.json"])
        expect(run.problems.some(({ where }) => where.startsWith(path))).toBe(true);
    }
  }));

test("what is no run at all is told with the next step", () =>
  withFolders(async ({ partial, out }) => {
    await expect(openRun(out)).rejects.toThrow(EvidenceError);
    buildRun(partial);
    await expect(openRun(out)).rejects.toMatchObject({ next: expect.stringContaining(partial) as string });
    edit(partial, "environment.json", (text) => text.replace('"contract": 1', '"contract": 2'));
    await expect(openRun(partial)).rejects.toThrow("environment.json does not fit its schema: /contract");
    writeFileSync(join(partial, "environment.json"), "secret words {");
    await expect(openRun(partial)).rejects.toThrow(/environment\.json not JSON in UTF-8\.$/);
    rmSync(join(partial, "environment.json"));
    await expect(openRun(partial)).rejects.toThrow("environment.json cannot be read (ENOENT)");
  }));
