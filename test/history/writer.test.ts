import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lineHash } from "../../history/chain.ts";
import { loadHistory } from "../../history/reader.ts";
import { HistoryWriter } from "../../history/writer.ts";
import { GENESIS, inTemporaryFolder, steppingClock, writeSample } from "./sample-run.ts";

const place = { process: 0, scenario: "a.b" };
const started = { ...place, type: "note", f: "scenario-started", value: {} } as const;

const withWriter = (use: (writer: HistoryWriter, path: string) => void) =>
  inTemporaryFolder((folder) => {
    const path = join(folder, "0.ndjson");
    const writer = HistoryWriter.create({ path, genesis: GENESIS, clock: steppingClock() });
    use(writer, path);
    writer.end();
  });

test("what is written is read back, event by event", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "0.ndjson");
    const writer = writeSample(path, 3);
    const { events, status, problems } = await loadHistory(path, { genesis: GENESIS });
    expect(problems).toEqual([]);
    expect(status).toBe("complete");
    expect(events.length).toBe(writer.count);
    expect(events.map(({ i }) => i)).toEqual([...events.keys()]);
  }));

test("the event that append returns is the line on disk, linked to the line before", () =>
  withWriter((writer, path) => {
    const first = writer.append(started);
    const second = writer.append(started);
    const [one = "", two = ""] = readFileSync(path, "utf8").split("\n");
    expect(JSON.parse(one)).toEqual(first);
    expect(JSON.parse(two)).toEqual(second);
    expect(first.prev).toBe(GENESIS);
    expect(second.prev).toBe(lineHash(one));
  }));

test("members stand in one order, whatever the draft's", () =>
  withWriter((writer, path) => {
    writer.append({ value: { ms: 1 }, f: "settled", type: "note", target: "s1", scenario: "a.b", process: 0 });
    const [line = "{}"] = readFileSync(path, "utf8").split("\n");
    expect(Object.keys(JSON.parse(line))).toEqual([
      "i",
      "t",
      "type",
      "process",
      "scenario",
      "f",
      "target",
      "value",
      "prev",
    ]);
  }));

test("time is kept from going back", () =>
  withWriter((writer) => {
    expect(writer.append(started, 5_000_000).t).toBe(5_000_000);
    expect(writer.append(started, 4_000_000).t).toBe(5_000_000);
    expect(writer.append(started).t).toBe(5_000_000);
  }));

test("an event that does not fit throws, leaves no line and does not break those that follow", () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "0.ndjson");
    const writer = HistoryWriter.create({ path, genesis: GENESIS, clock: steppingClock() });
    const call = writer.append({ ...place, type: "invoke", f: "destroy", target: "s1", value: {} });
    const done = { ...place, type: "ok", f: "destroy", sent: call.t, value: {} } as const;
    expect(() => writer.append({ ...done, of: 7 })).toThrow("not an earlier invoke");
    expect(() => writer.append({ ...done, of: call.i, f: "observe", value: { state: "absent" } })).toThrow(
      "f is not that",
    );
    expect(() => writer.append({ ...done, of: call.i, sent: 0 })).toThrow("sent is not between");
    expect(() => writer.append({ ...done, of: call.i, value: { surprise: 1 } })).toThrow("/value");
    expect(() => writer.append({ ...place, type: "note", f: "no-such-note", value: {} })).toThrow("/f");
    expect(() => writer.append({ ...started, scenario: "Has Spaces" })).toThrow("/scenario");
    writer.append({ ...done, of: call.i });
    expect(() => writer.append({ ...done, of: call.i })).toThrow("completed already");
    writer.end();
    const { events, problems } = await loadHistory(path, { genesis: GENESIS });
    expect(problems).toEqual([]);
    expect(events.length).toBe(3);
  }));

test("a method without recorded values takes the empty value and nothing else", () =>
  withWriter((writer) => {
    const call = { ...place, type: "invoke", f: "sandproof.invented" } as const;
    writer.append({ ...call, value: {} });
    expect(() => writer.append({ ...call, value: { text: "free" } })).toThrow("/value");
  }));

test("a refusal does not repeat the offending value", () =>
  withWriter((writer) => {
    const secret = "hunter2-hunter2";
    const value = { attempt: secret, members: [] };
    const act = () => writer.append({ ...place, type: "invoke", f: "create", target: "s1", value });
    expect(act).toThrow(/attempt/);
    expect(act).not.toThrow(secret);
  }));

test("a history is written once, and not after its end", () =>
  inTemporaryFolder((folder) => {
    const path = join(folder, "0.ndjson");
    const options = { path, genesis: GENESIS, clock: steppingClock() };
    const writer = HistoryWriter.create(options);
    expect(() => HistoryWriter.create(options)).toThrow("EEXIST");
    writer.end();
    expect(() => writer.append(started)).toThrow("closed");
  }));
