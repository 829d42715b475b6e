import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { genesis, lineHash } from "../../history/chain.ts";
import { MAX_LINE_BYTES } from "../../history/lines.ts";
import { loadHistory, MAX_PROBLEMS, readHistory } from "../../history/reader.ts";
import { GENESIS, inTemporaryFolder, ORIGIN, writeSample } from "./sample-run.ts";

const NEWLINE = 0x0a;
let whole: Buffer;
beforeAll(() => {
  whole = inTemporaryFolder((folder) => {
    const path = join(folder, "0.ndjson");
    writeSample(path, 3);
    return readFileSync(path);
  });
});

const load = (bytes: Uint8Array, start: string | undefined = GENESIS) => loadHistory([bytes], { genesis: start });
const lines = () => whole.toString("utf8").trimEnd().split("\n");
const asFile = (list: readonly string[]) => Buffer.from(list.map((line) => `${line}\n`).join(""));
const rules = async (list: readonly string[]) => {
  const { problems } = await load(asFile(list));
  return problems.map(({ line, rule }) => `${line} ${rule}`);
};
/** The lines with one of them changed, and the chain mended behind it, as one does who rewrites history. */
function rewritten(index: number, change: (event: Record<string, unknown>) => void): string[] {
  let prev = GENESIS;
  return lines().map((line, place) => {
    const event = JSON.parse(line) as Record<string, unknown>;
    if (place === index) change(event);
    const mended = JSON.stringify({ ...event, prev });
    prev = lineHash(mended);
    return mended;
  });
}

describe("chain", () => {
  test("genesis and line hash are what the design says, computed another way", () => {
    const sha256 = (text: string) => createHash("sha256").update(text, "utf8").digest("hex");
    const zeros = "0".repeat(64);
    expect(GENESIS).toBe(sha256(`["sandproof-history/1","${"a".repeat(26)}","0","","${zeros}"]`));
    expect(genesis({ ...ORIGIN, challenge: 'n"1' })).toBe(
      sha256(`["sandproof-history/1","${"a".repeat(26)}","0","n\\"1","${zeros}"]`),
    );
    expect(lineHash("ä")).toBe(sha256("ä"));
    expect(lineHash(Buffer.from("ä"))).toBe(sha256("ä"));
  });

  test("any one changed byte is seen; in the end line, whose digest only the bundle holds, all but its time", () =>
    fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.byteLength - 1 }), fc.integer({ min: 1, max: 255 }), async (place, mask) => {
        const bytes = Buffer.from(whole);
        bytes[place] = (bytes[place] ?? 0) ^ mask;
        const { status, problems, events } = await load(bytes);
        if (status === "truncated" || problems.length > 0) return;
        const last = events.at(-1);
        const before = JSON.parse(lines().at(-1) ?? "") as Record<string, unknown>;
        expect({ ...last, t: before["t"] }).toEqual(before);
      }),
      { numRuns: 2000 },
    ));

  test("another run's genesis is seen in the first line, and a missing one is not asked for", async () => {
    const foreign = await load(whole, genesis({ ...ORIGIN, shard: "1" }));
    expect(foreign.problems).toEqual([expect.objectContaining({ line: 1, rule: "chain" })]);
    expect((await loadHistory([whole])).problems).toEqual([]);
  });

  test("deleted, swapped, repeated and inserted lines are seen where they are", async () => {
    const all = lines();
    expect(await rules(all.toSpliced(4, 1))).toContain("5 chain");
    expect(await rules(all.toSpliced(4, 2, all[5] ?? "", all[4] ?? ""))).toContain("5 chain");
    expect(await rules(all.toSpliced(4, 0, all[4] ?? ""))).toContain("6 chain");
    expect(await rules(all.slice(1))).toContain("1 chain");
  });
});

describe("truncation", () => {
  test("any prefix is readable, and complete only when it is all there is", () =>
    fc.assert(
      fc.asyncProperty(fc.nat({ max: whole.byteLength }), async (length) => {
        const prefix = whole.subarray(0, length);
        const { events, status, problems } = await load(prefix);
        expect(problems).toEqual([]);
        expect(events.length).toBe(prefix.filter((byte) => byte === NEWLINE).length);
        expect(status).toBe(length === whole.byteLength ? "complete" : "truncated");
      }),
      { numRuns: 500 },
    ));

  test("bytes after the end event are not a torn tail", async () => {
    const { problems } = await load(Buffer.concat([whole, Buffer.from("{")]));
    expect(problems.map(({ rule }) => rule)).toEqual(["after-end"]);
  });
});

describe("hostile input is a list of problems, never an exception", () => {
  const mutation = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat({ max: 300 }),
    insert: fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string().map((text) => Buffer.from(text)),
    ),
  });
  test("mutated histories", () =>
    fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 5 }), async (mutations) => {
        let bytes: Buffer = whole;
        for (const { at, remove, insert } of mutations) {
          const place = Math.floor(at * bytes.byteLength);
          bytes = Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place + remove)]);
        }
        const { problems, status } = await load(bytes);
        if (!bytes.equals(whole))
          expect(problems.length > 0 || status === "truncated" || lastLineOnly(bytes)).toBe(true);
      }),
      { numRuns: 1000 },
    ));
  const lastLineOnly = (bytes: Buffer) => {
    const start = whole.lastIndexOf(NEWLINE, whole.byteLength - 2);
    return bytes.subarray(0, start).equals(whole.subarray(0, start));
  };

  test("arbitrary bytes and JSON", () =>
    fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => Buffer.from(`${text}\n`)),
        ),
        async (bytes) => {
          const { events } = await load(bytes);
          expect(events).toEqual([]);
        },
      ),
    ));

  test("how the bytes come in pieces does not matter", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: whole.byteLength }), { maxLength: 20 }), async (cuts) => {
        const places = [0, ...cuts.sort((one, other) => one - other), whole.byteLength];
        const pieces = places.slice(1).map((end, index) => whole.subarray(places[index], end));
        expect(await loadHistory(pieces, { genesis: GENESIS })).toEqual(await load(whole));
      }),
      { numRuns: 50 },
    ));

  test("a line beyond the bound is named, and not kept", async () => {
    const bytes = Buffer.concat([Buffer.alloc(MAX_LINE_BYTES + 1, "x"), Buffer.from("\n"), whole]);
    const { problems, events } = await load(bytes);
    expect(problems).toEqual([expect.objectContaining({ line: 1, rule: "too-long" })]);
    expect(events.length).toBe(lines().length);
  });

  test("the list of problems is bounded", async () => {
    const { problems } = await load(Buffer.from("?\n".repeat(MAX_PROBLEMS * 3)));
    expect(problems.length).toBe(MAX_PROBLEMS);
  });

  test("a problem does not quote the line", async () => {
    const { problems } = await load(Buffer.from('{"type":"note","hunter2":"hunter2"\n{"hunter2":1}\n'));
    expect(problems.length).toBe(2);
    expect(JSON.stringify(problems)).not.toContain("hunter2");
  });
});

describe("rules that a mended chain does not hide", () => {
  test.each([
    ["an index", 3, { i: 9 }, "4 index"],
    ["a time that goes back", 4, { t: 1 }, "5 time"],
    ["a completion of nothing", 1, { of: 3 }, "2 of"],
    ["a second completion", 3, { of: 0, f: "create", value: { id: "sandbox:aaaaaaaa" } }, "4 of"],
    ["a note about no call", 6, { of: 1 }, "7 of"],
    ["another method's completion", 8, { f: "files.remove" }, "9 of"],
    ["sent before the call", 1, { sent: 0 }, "2 sent"],
    ["a wrong count", 27, { count: 26 }, "28 count"],
    ["a member that is not in the schema", 2, { text: "free" }, "3 schema"],
    ["a value that does not fit its method", 2, { value: {} }, "3 schema"],
    ["a type that there is not", 2, { type: "maybe" }, "3 schema"],
  ])("%s", async (_, index, change, expected) => {
    const list = rewritten(index, (event) => Object.assign(event, change));
    expect(await rules(list)).toContain(expected);
  });

  test("events after the end", async () => {
    const all = lines();
    const end = all.at(-1) ?? "";
    const more = { i: 28, t: 1e9, type: "note", process: 0, scenario: "a", f: "settled", value: { ms: 1 } };
    const list = [...all, JSON.stringify({ ...more, prev: lineHash(end) })];
    expect(await rules(list)).toEqual(["29 after-end"]);
  });

  test("JSON that says the same in other bytes: a key twice, white space", async () => {
    const [first = "", ...rest] = lines();
    expect(await rules([first.replace("{", '{"i":5,'), ...rest])).toContain("1 canonical");
    expect(await rules([first.replace(":", ": "), ...rest])).toContain("1 canonical");
  });
});

test("readHistory gives the same events one by one, and the summary at the end", async () => {
  const loaded = await load(whole);
  const reading = readHistory([whole], GENESIS);
  const events = [];
  let step = await reading.next();
  for (; step.done !== true; step = await reading.next()) events.push(step.value);
  expect({ events, ...step.value }).toEqual(loaded);
});
