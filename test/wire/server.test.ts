import { PassThrough } from "node:stream";
import { afterEach, expect, test } from "vitest";
import type { OpenAdapter } from "../../contract/port.ts";
import type { Channel } from "../../wire/channel.ts";
import { connectInProcess, type InProcessOptions } from "../../wire/memory.ts";
import { serve } from "../../wire/server.ts";
import openToy from "./adapters/toy.ts";
import { clock, type Observed, observe, PATIENT, run } from "./support.ts";

let channel: Channel;
let seen: Observed;
function connect(open: OpenAdapter = openToy, options: Partial<InProcessOptions> = {}) {
  seen = observe();
  channel = connectInProcess(open, { clock, events: seen, ...options });
  return channel;
}
afterEach(() => channel.close());

const ask = (method: string, params: object = {}) => channel.call(method as "check", params, PATIENT).outcome;
const TOKEN = "a".repeat(16);

test("create, observe, list, destroy", async () => {
  connect();
  expect(await ask("create", { spec: {}, attempt: TOKEN })).toEqual({ kind: "ok", result: { id: TOKEN } });
  expect(await ask("observe", { id: TOKEN })).toMatchObject({ result: { state: "running" } });
  expect(await ask("list")).toMatchObject({ result: { items: [{ id: TOKEN }], complete: true } });
  expect(await ask("destroy", { id: TOKEN })).toEqual({ kind: "ok", result: {} });
  expect(await ask("observe", { id: TOKEN })).toMatchObject({ result: { state: "absent" } });
  expect(seen.faults).toEqual([]);
});

test("an invented method, and one whose member is missing, are refused", async () => {
  connect();
  for (const method of ["frobnicate", "fork", "pause.pause", "exec.attach", "files.nonsense", "__proto__", "close"]) {
    expect(await ask(method, { id: "s1" })).toMatchObject({
      kind: "error",
      error: { code: "unsupported", definite: true, refused: true },
    });
  }
});

test.each([
  ["create", { spec: { "x-invented": 1 }, attempt: TOKEN }],
  ["create", { spec: { egress: { mode: "none", more: 1 } }, attempt: TOKEN }],
  ["create", { attempt: TOKEN }],
  ["exec", { id: "s1", command: { argv: ["cat"], more: 1 } }],
  ["observe", { id: "" }],
  ["describe", { contract: 2, options: {} }],
])("%s with %j is an invalid argument, before the adapter is asked", async (method, params) => {
  connect(() => {
    throw new Error("the adapter was opened");
  });
  if (method !== "describe") connect();
  expect(await ask(method, params)).toMatchObject({
    kind: "error",
    error: { code: "invalid-argument", definite: true, refused: false },
  });
  expect(await ask("list")).toMatchObject(method === "describe" ? { kind: "error" } : { result: { items: [] } });
});

test("unknown members of params elsewhere are ignored", async () => {
  connect();
  expect(await ask("observe", { id: "s1", "x-invented": 1 })).toMatchObject({ kind: "ok" });
});

test("describe opens the adapter with its options, once; others are refused, and a failed opening can be repeated", async () => {
  let opened = 0;
  connect((context) => {
    opened += 1;
    return openToy(context);
  });
  const describe = (options: object) => ask("describe", { contract: 1, options });
  expect(await describe({ broken: "yes" })).toMatchObject({ kind: "error", error: { code: "unauthenticated" } });
  expect(await describe({ a: "1" })).toMatchObject({ kind: "ok", result: { options: { given: { a: "1" } } } });
  expect(await describe({ a: "1" })).toMatchObject({ kind: "ok" });
  expect(await describe({ a: "2" })).toMatchObject({ kind: "error", error: { code: "invalid-argument" } });
  expect(await ask("check")).toEqual({ kind: "ok", result: { ready: true, problems: [] } });
  expect(opened).toBe(2);
});

test("typed errors keep their code and definiteness, others are internal and logged", async () => {
  connect();
  expect((await run(channel, ["refuse"])).outcome).toMatchObject({
    error: { code: "quota-exceeded", definite: false },
  });
  expect((await run(channel, ["throw"])).outcome).toMatchObject({ error: { code: "internal", definite: false } });
  expect(seen.stderrText()).toContain("something broke");
  expect(seen.faults).toEqual([]);
});

test("cancel aborts the signal, and the adapter answers once", async () => {
  connect();
  const pending = channel.call("exec", { id: "s1", command: { argv: ["wait"] } }, PATIENT);
  await pending.sent;
  pending.cancel();
  pending.cancel();
  expect(await pending.outcome).toMatchObject({ kind: "error", error: { code: "cancelled", definite: false } });
  expect(seen.faults).toEqual([]);
});

test("the deadline aborts the signal at the adapter's end too", async () => {
  connect();
  const { outcome } = await run(channel, ["wait"], { deadlineMs: 100, graceMs: 20_000 });
  expect(outcome).toMatchObject({ kind: "error" });
  expect(outcome.kind === "error" && outcome.error.code).toMatch(/deadline-exceeded|cancelled/);
});

test("an adapter that goes on after its deadline answers late", async () => {
  connect();
  const pending = channel.call("exec", { id: "s1", command: { argv: ["late"] } }, { deadlineMs: 50, graceMs: 0 });
  expect(await pending.outcome).toEqual({ kind: "deadline" });
  expect(await pending.late).toEqual({ kind: "ok", result: { exit: { kind: "exited", code: 0 } } });
});

async function* chunks(count: number, bytes: number) {
  for (let n = 0; n < count; n += 1) yield new Uint8Array(bytes).fill(97 + (n % 26));
}

test("stdin goes through in order, however large its chunks", async () => {
  connect();
  const { stdout } = await run(channel, ["cat"], { input: chunks(5, 150_000) });
  expect(stdout).toBe(["a", "b", "c", "d", "e"].map((letter) => letter.repeat(150_000)).join(""));
});

test("output that the adapter did not await still comes in order and before the reply", async () => {
  connect();
  const { stdout, outcome } = await run(channel, ["unawaited"]);
  expect(outcome.kind).toBe("ok");
  expect(stdout).toBe("a".repeat(100_000) + "b".repeat(100_000));
  expect(seen.faults).toEqual([]);
});

test("files are written from input and read as output", async () => {
  connect();
  const write = channel.call("files.write", { id: "s1", path: "/f" }, { ...PATIENT, input: chunks(3, 70_000) });
  expect(await write.outcome).toEqual({ kind: "ok", result: { bytes: 210_000 } });
  let bytes = 0;
  const onOutput = (stream: string, chunk: Uint8Array) => (bytes += stream === "data" ? chunk.length : 0);
  const read = channel.call("files.read", { id: "s1", path: "/f" }, { ...PATIENT, onOutput });
  expect(await read.outcome).toEqual({ kind: "ok", result: { bytes: 210_000 } });
  expect(bytes).toBe(210_000);
});

test("content that throws cancels the call: the old content stays", async () => {
  connect();
  const put = (input: AsyncIterable<Uint8Array>, onInputError?: (error: unknown) => void) =>
    channel.call("files.write", { id: "s1", path: "/f" }, { ...PATIENT, input, ...(onInputError && { onInputError }) });
  await put(chunks(1, 10)).outcome;
  async function* breaking() {
    yield new Uint8Array(100);
    throw new Error("disk on fire");
  }
  const told: unknown[] = [];
  const outcome = await put(breaking(), (error) => told.push(error)).outcome;
  expect(outcome).toMatchObject({ kind: "error", error: { code: "cancelled" } });
  expect(told).toEqual([new Error("disk on fire")]);
  expect(await ask("files.stat", { id: "s1", path: "/f" })).toMatchObject({ result: { size: 10 } });
});

test("input that nobody reads fails the call, not the memory", async () => {
  connect();
  const { outcome } = await run(channel, ["wait"], { input: chunks(2_000, 64 * 1024) });
  expect(outcome).toMatchObject({ kind: "error", error: { code: "protocol", definite: false } });
});

test("a source that never gives anything does not keep the call or the close", async () => {
  connect();
  let returned = false;
  const stuck = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<never>(() => {}),
      return: async () => {
        returned = true;
        return { done: true as const, value: undefined };
      },
    }),
  };
  expect((await run(channel, ["refuse"], { input: stuck })).outcome).toMatchObject({ kind: "error" });
  await new Promise(setImmediate);
  expect(returned).toBe(true);
});

test("a secret is told before the output that holds it", async () => {
  connect();
  const order: string[] = [];
  channel = connectInProcess(openToy, {
    clock,
    events: { ...seen, secret: (value) => order.push(`secret ${Buffer.from(value).toString()}`) },
  });
  await run(channel, ["secret"], { onOutput: (_, chunk) => order.push(Buffer.from(chunk).toString()) });
  expect(order).toEqual(["secret hunter2", "hunter2"]);
});

test("shutdown aborts running calls, closes the adapter and ends", async () => {
  connect();
  const pending = channel.call("exec", { id: "s1", command: { argv: ["wait"] } }, PATIENT);
  await pending.sent;
  await channel.close();
  expect(await pending.outcome).toMatchObject({ kind: "error", error: { code: "cancelled" } });
  expect(seen.endings).toEqual([{ expected: true, exitCode: 0, signal: undefined }]);
  expect(seen.stderrText()).toContain("toy closed");
  expect(seen.faults).toEqual([]);
});

test("kill ends every call as died", async () => {
  connect();
  const pending = channel.call("exec", { id: "s1", command: { argv: ["wait"] } }, PATIENT);
  await channel.kill();
  expect(await pending.outcome).toEqual({ kind: "died" });
  expect(seen.endings).toMatchObject([{ expected: true, signal: "SIGKILL" }]);
});

test("a mutant can say things twice, or print", async () => {
  connect(openToy, { tamper: (line) => [Buffer.from("debug: replying"), line, line] });
  expect(await ask("check")).toMatchObject({ kind: "ok" });
  await channel.close();
  expect(seen.faults.slice(0, 2).map(({ fault }) => fault)).toEqual(["stdout-not-message", "reply-twice"]);
});

test("lines that are no request are answered without a call, or with the id that they have", async () => {
  connect();
  const input = new PassThrough();
  const output = new PassThrough();
  const served = serve(openToy, { input, output, log: () => {} });
  input.end('not json\n{"id":7}\n{"jsonrpc":"2.0","method":"cancel","params":{"call":99}}\n');
  const replies: unknown[] = [];
  output.on("data", (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split("\n")) replies.push(JSON.parse(line));
  });
  await served;
  expect(replies).toMatchObject([
    { id: null, error: { code: -32700, data: { code: "protocol" } } },
    { id: 7, error: { code: -32600, data: { code: "protocol" } } },
  ]);
});
