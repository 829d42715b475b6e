import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EvidenceError } from "../../evidence/errors.ts";
import { GateError } from "../../evidence/gate-error.ts";
import { seal } from "../../evidence/seal.ts";
import { KnownValues } from "../../redaction/known-values.ts";
import { Manifest, Results } from "../../schemas/documents.ts";
import { check } from "../../schemas/validate.ts";
import { buildRun, edit, type Folders, withFolders } from "./build-run.ts";

const none = () => new KnownValues();

test("sealing judges, lists every file, and renames the folder last", () =>
  withFolders(async ({ partial, out }) => {
    buildRun(partial);
    const { results, files } = await seal({ partial, out, known: none() });
    expect(existsSync(partial)).toBe(false);
    expect(readdirSync(out, { recursive: true }).map(String).sort()).toEqual([
      "environment.json",
      "evidence.md",
      "history",
      "history/0.ndjson",
      "manifest.json",
      "results.json",
      "witness.ndjson",
    ]);
    const stored = (path: string): unknown => JSON.parse(readFileSync(join(out, path), "utf8"));
    expect(check(Results, stored("results.json"))).toEqual({ ok: true, value: results });
    expect(check(Manifest, stored("manifest.json"))).toMatchObject({ ok: true, value: { files, root: results.root } });
    expect(files.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
      "fact environment.json",
      "view evidence.md",
      "fact history/0.ndjson",
      "view results.json",
      "fact witness.ndjson",
    ]);
    expect(results.verdict.conformance).toBe("passed-selection");
  }));

const refused = (spoil: (folders: Folders) => void, message: RegExp) =>
  withFolders(async (folders) => {
    const { partial, out } = folders;
    buildRun(partial);
    spoil(folders);
    const before = readdirSync(partial).sort();
    const sealing = seal({ partial, out, known: none() });
    await expect(sealing).rejects.toThrow(EvidenceError);
    await expect(sealing).rejects.toThrow(message);
    expect(readdirSync(partial).sort()).toEqual(before);
  });

test("a broken chain is not sealed", () =>
  refused(
    ({ partial }) => edit(partial, "history/0.ndjson", (text) => text.replace('"code":7}}}', '"code":8}}}')),
    /history\/0\.ndjson:\d+: chain/,
  ));

test("a history without its end is not sealed", () =>
  refused(
    ({ partial }) => edit(partial, "history/0.ndjson", (text) => text.slice(0, text.lastIndexOf('{"i"'))),
    /truncated/,
  ));

test("a file that nobody made is not published", () =>
  refused(({ partial }) => writeFileSync(join(partial, "debug.log"), ""), /debug\.log: extra file/));

test("an earlier run is never overwritten", () => refused(({ out }) => mkdirSync(out), /is there already/));

const SECRET = "correct-horse-battery-staple-91";

test.each([
  ["raw", (secret: string) => secret, "known-secret in environment.json, at byte"],
  ["base64", (secret: string) => Buffer.from(`xy${secret}`).toString("base64"), "known-secret in environment.json"],
  [
    "base64 inside base64",
    (secret: string) => Buffer.from(Buffer.from(secret).toString("base64")).toString("base64"),
    "inside base64",
  ],
])("a secret in a fact (%s) stops publication and is not told", (_form, encode, told) =>
  withFolders(async ({ partial, out }) => {
    buildRun(partial, { environment: { guest: { shell: encode(SECRET), tools: [], workdir: "/", user: "root" } } });
    const known = none();
    known.add(SECRET, "secret");
    const files = readdirSync(partial).sort();
    const error: unknown = await seal({ partial, out, known }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GateError);
    const { message, hits } = error as GateError;
    expect(message).toContain(told);
    expect(JSON.stringify([message, hits])).not.toContain(SECRET);
    expect(hits[0]).toMatchObject({ rule: "known-secret", path: "environment.json" });
    expect(existsSync(out)).toBe(false);
    expect(readdirSync(partial).sort()).toEqual(files);
  }),
);

test("a secret that reaches only a view stops publication too", () =>
  withFolders(async ({ partial, out }) => {
    buildRun(partial);
    const known = none();
    // Stands for a value that a report would print: it is in no fact.
    known.add("anyone could have rewritten it", "decoy");
    await expect(seal({ partial, out, known })).rejects.toMatchObject({
      hits: [{ rule: "known-decoy", path: "evidence.md" }],
    });
    expect(existsSync(out)).toBe(false);
  }));
