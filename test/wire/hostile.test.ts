import { afterEach, expect, test } from "vitest";
import { asText, PATIENT, type Started, startHostile } from "./support.ts";

let started: Started;
const hostile = (how: string) => (started = startHostile(how));
afterEach(() => started.channel.kill());

const faults = () => started.seen.faults.map(({ fault }) => fault);
const destroy = (options = PATIENT) => started.channel.call("destroy", { id: "s1" }, options);
const settled = async () => {
  // Faults after a reply are only sure to have been read when a later call is answered, or the adapter has ended.
  await started.channel.close();
};

test("lines that are no message are faults, one each, and the call still ends", async () => {
  hostile("garbage");
  expect(await destroy().outcome).toEqual({ kind: "ok", result: {} });
  expect(faults()).toEqual(Array.from({ length: 7 }, () => "stdout-not-message"));
});

test("10 MiB without a newline is one fault", async () => {
  hostile("no-newline");
  expect(await destroy().outcome).toEqual({ kind: "ok", result: {} });
  expect(faults()).toEqual(["line-too-long"]);
});

test("invalid UTF-8 is no message", async () => {
  hostile("invalid-utf8");
  expect(await destroy().outcome).toMatchObject({ kind: "ok" });
  expect(faults()).toEqual(["stdout-not-message"]);
});

test("a second reply is a fault of its call", async () => {
  hostile("twice");
  const pending = destroy();
  expect(await pending.outcome).toMatchObject({ kind: "ok" });
  await destroy().outcome;
  expect(started.seen.faults[0]).toEqual({ fault: "reply-twice", call: pending.call });
});

test("replies to calls that nobody made, and a reply without id", async () => {
  hostile("unknown-call");
  expect(await destroy().outcome).toMatchObject({ kind: "ok" });
  expect(faults()).toEqual(["reply-unknown-call", "reply-unknown-call"]);
  await started.channel.kill();
  hostile("missing-id");
  expect(await destroy().outcome).toMatchObject({ kind: "ok" });
  expect(faults()).toEqual(["reply-malformed"]);
});

test("replies in any order find their calls", async () => {
  hostile("any-order");
  const pending = [1, 2, 3].map(() => started.channel.call("observe", { id: "s1" }, PATIENT));
  const outcomes = await Promise.all(pending.map(({ outcome }) => outcome));
  expect(outcomes).toEqual(
    pending.map(({ call }) => ({ kind: "ok", result: { state: "running", native: `reply ${call}` } })),
  );
  expect(faults()).toEqual([]);
});

test("malformed output is a fault each, well-formed output arrives, output after the reply is a fault", async () => {
  hostile("bad-output");
  const chunks: Uint8Array[] = [];
  const onOutput = (_: string, chunk: Uint8Array) => chunks.push(chunk);
  const pending = started.channel.call("exec", { id: "s1", command: { argv: ["x"] } }, { ...PATIENT, onOutput });
  expect(await pending.outcome).toMatchObject({ kind: "ok" });
  await settled();
  expect(asText(chunks)).toBe("fine");
  expect(faults()).toEqual([...Array.from({ length: 5 }, () => "output-malformed"), "output-after-reply"]);
});

test("an error without a code is internal, indefinite, and a fault", async () => {
  hostile("untyped-error");
  expect(await destroy().outcome).toEqual({
    kind: "error",
    error: { code: "internal", definite: false, retryable: false, refused: false, message: "it is full" },
  });
  expect(faults()).toEqual(["error-untyped"]);
});

test("result and error at once, or a result that does not fit its method, is malformed", async () => {
  hostile("both-result-and-error");
  expect(await destroy().outcome).toMatchObject({ kind: "malformed" });
  expect(faults()).toEqual(["reply-malformed"]);
  await started.channel.kill();
  hostile("twice");
  const pending = started.channel.call("create", { spec: {}, attempt: "a".repeat(16) }, PATIENT);
  expect(await pending.outcome).toMatchObject({ kind: "malformed", problem: expect.stringContaining("id") });
  expect(faults()[0]).toBe("reply-malformed");
});

test("an adapter that ignores cancel: deadline after the grace, and the channel lives on", async () => {
  hostile("ignores-cancel");
  const pending = destroy({ deadlineMs: 100, graceMs: 100 });
  expect(await pending.outcome).toEqual({ kind: "deadline" });
  expect(started.seen.endings).toEqual([]);
});

test("a reply after deadline and grace resolves `late` and is no fault", async () => {
  hostile("late-reply");
  const pending = started.channel.call(
    "create",
    { spec: {}, attempt: "a".repeat(16) },
    { deadlineMs: 1_000, graceMs: 0 },
  );
  expect(await pending.outcome).toEqual({ kind: "deadline" });
  expect(await pending.late).toEqual({ kind: "ok", result: { id: "made-late" } });
  expect(faults()).toEqual([]);
});

test("death mid-call ends every pending call, and `ended` is told once", async () => {
  hostile("dies-mid-call");
  const outcomes = await Promise.all([destroy().outcome, destroy().outcome]);
  expect(outcomes).toEqual([{ kind: "died" }, { kind: "died" }]);
  expect(started.seen.endings).toEqual([{ expected: false, exitCode: 3, signal: undefined }]);
  expect(started.channel.pid).toBeUndefined();
  expect(await destroy().outcome).toEqual({ kind: "died" });
  await started.channel.close();
  expect(started.seen.endings).toHaveLength(1);
});

test("a line cut off by a signal is no fault", async () => {
  hostile("dies-mid-line");
  expect(await destroy().outcome).toEqual({ kind: "died" });
  expect(started.seen.endings).toMatchObject([{ expected: false, signal: "SIGABRT" }]);
  expect(faults()).toEqual([]);
});

test("a flood of stderr delays no reply", async () => {
  hostile("stderr-flood");
  expect(await destroy().outcome).toMatchObject({ kind: "ok" });
});

test("an adapter that closes stdout but lives is ended", async () => {
  hostile("closes-stdout");
  expect(await destroy().outcome).toEqual({ kind: "died" });
  expect(started.seen.endings).toEqual([{ expected: false, exitCode: undefined, signal: "SIGKILL" }]);
});

test("an adapter that exits at once", async () => {
  hostile("exits-at-once");
  const pending = destroy();
  expect(await pending.outcome).toEqual({ kind: "died" });
  expect(await pending.sent).toBeTypeOf("number");
});

test("an adapter that never reads: what was not written is never sent, and close ends it", async () => {
  hostile("never-reads");
  const script = "x".repeat(900_000);
  const calls = [1, 2, 3].map(() =>
    started.channel.call("exec", { id: "s1", command: { script } }, { deadlineMs: 200, graceMs: 50 }),
  );
  for (const { outcome, sent } of calls) {
    expect(await outcome).toEqual({ kind: "deadline" });
    expect(await sent).toBeTypeOf("number");
  }
  await started.channel.close();
  expect(started.seen.endings).toEqual([{ expected: true, exitCode: undefined, signal: "SIGTERM" }]);
});

test("close ends by SIGKILL what ignores everything else", async () => {
  hostile("never-ends");
  expect(await destroy().outcome).toMatchObject({ kind: "ok" });
  await started.channel.close();
  expect(started.seen.endings).toEqual([{ expected: true, exitCode: undefined, signal: "SIGKILL" }]);
});

test("a child of the adapter that keeps its pipes open does not keep the channel open, and is not killed", async () => {
  hostile("child-holds-pipes");
  const outcome = await started.channel.call("observe", { id: "s1" }, PATIENT).outcome;
  if (outcome.kind !== "ok") throw new Error(outcome.kind);
  const pid = Number(outcome.result.native);
  await started.seen.whenEnded;
  expect(started.seen.endings).toEqual([{ expected: false, exitCode: 0, signal: undefined }]);
  expect(process.kill(pid, "SIGKILL")).toBe(true);
});
