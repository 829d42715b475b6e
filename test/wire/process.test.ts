import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, expect, test } from "vitest";
import { PATIENT, run, type Started, serveArgv, start, startToy, TOY } from "./support.ts";

const MiB = 1024 * 1024;

let started: Started;
const toy = (env?: Record<string, string>) => (started = startToy(env));
afterEach(() => started.channel.kill());

test("a TypeScript adapter in a process of its own, ended in order", async () => {
  const { channel, seen } = toy();
  const described = await channel.call("describe", { contract: 1, options: { a: "1" } }, PATIENT).outcome;
  expect(described).toMatchObject({ kind: "ok", result: { provider: { name: "toy" } } });
  expect(channel.pid).toBeTypeOf("number");
  await channel.close();
  expect(seen.endings).toEqual([{ expected: true, exitCode: 0, signal: undefined }]);
  expect(seen.stderrText()).toBe("toy closed\n");
  expect(channel.pid).toBeUndefined();
});

test("it leads a session of its own, so that Ctrl-C in the terminal does not reach it", async () => {
  const { channel } = toy();
  await channel.call("check", {}, PATIENT).outcome;
  const [, , , session] = (await readFile(`/proc/${channel.pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  expect(Number(session)).toBe(channel.pid);
});

test.each(["close", "kill"])("after %s nothing of a channel keeps the event loop alive", async (how) => {
  started = toy();
  const harness = fileURLToPath(new URL("adapters/harness.ts", import.meta.url));
  // Far below the deadline of the call that never ends, far above what this takes.
  const EXIT_MS = 15_000;
  const { exitCode, timedOut } = await execa(process.execPath, [harness, how], { timeout: EXIT_MS, reject: false });
  expect({ exitCode, timedOut }).toEqual({ exitCode: 0, timedOut: false });
});

test("end of input ends the adapter, also one with a call that never answers and output that nobody reads", async () => {
  started = toy();
  const [program = "", ...args] = serveArgv(TOY);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
  const exec = (id: number, argv: readonly string[]) =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method: "exec", params: { id: "s1", command: { argv }, deadlineMs: 60_000 } })}\n`;
  child.stdin.end(exec(1, ["never"]) + exec(2, ["flood", String(64 * MiB)]));
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("the environment is exactly what was given", async () => {
  const { channel } = toy({ SANDPROOF_RUN: "x", LANG: "C.UTF-8" });
  const { stdout } = await run(channel, ["environment"]);
  expect(JSON.parse(stdout)).toEqual({ SANDPROOF_RUN: "x", LANG: "C.UTF-8" });
});

test("prints go to stderr, never into the wire", async () => {
  const { channel, seen } = toy();
  expect(await run(channel, ["print"])).toMatchObject({ outcome: { kind: "ok" }, stdout: "done" });
  await channel.close();
  expect(seen.stderrText()).toContain("printed by console\nprinted to stdout\n");
  expect(seen.faults).toEqual([]);
});

test("kill takes the process away; death by itself is not expected", async () => {
  const { channel, seen } = toy();
  const waiting = channel.call("exec", { id: "s1", command: { argv: ["wait"] } }, PATIENT);
  const { pid } = channel;
  await channel.kill();
  expect(await waiting.outcome).toEqual({ kind: "died" });
  expect(seen.endings).toEqual([{ expected: true, exitCode: undefined, signal: "SIGKILL" }]);
  expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH");
  const second = toy();
  expect((await run(second.channel, ["die"])).outcome).toEqual({ kind: "died" });
  expect(second.seen.endings).toEqual([{ expected: false, exitCode: 7, signal: undefined }]);
});

test.each([
  ["a program that is not there", ["/nowhere/adapter"], "ENOENT"],
  ["one that may not be run", [TOY], "EACCES"],
  ["no program", [], "argument"],
  ["an argument that no program can take", [process.execPath, "a\0b"], "null bytes"],
])("%s: calls end as died and the reason is known", async (_, argv, reason) => {
  started = start(argv);
  const { channel, seen } = started;
  expect(await channel.call("check", {}, PATIENT).outcome).toEqual({ kind: "died" });
  expect(seen.endings).toEqual([{ expected: false, exitCode: undefined, signal: undefined }]);
  expect(channel.startError?.message).toContain(reason);
  await channel.close();
});

test("a module that is not an adapter: the reason is on stderr, exit 1", async () => {
  started = start(serveArgv(new URL(import.meta.url).pathname.replace(/process\.test/, "support")));
  const { channel, seen } = started;
  expect(await channel.call("check", {}, PATIENT).outcome).toEqual({ kind: "died" });
  expect(seen.endings).toEqual([{ expected: false, exitCode: 1, signal: undefined }]);
  expect(seen.stderrText()).toContain("default export");
});

test("64 MiB of output hold up no other call, and the memory of both ends stays flat", async () => {
  const { channel, seen } = toy();
  let bytes = 0;
  let observed = 0;
  const flood = run(channel, ["flood", String(64 * MiB)], { onOutput: (_, chunk) => void (bytes += chunk.length) });
  const before = Number((await run(channel, ["memory"])).stdout);
  const ours = process.memoryUsage().rss;
  const done = { yet: false };
  void flood.then(() => (done.yet = true));
  while (!done.yet) {
    const outcome = await channel.call("observe", { id: "s1" }, PATIENT).outcome;
    expect(outcome.kind).toBe("ok");
    if (!done.yet) observed += 1;
  }
  expect((await flood).outcome.kind).toBe("ok");
  expect(bytes).toBe(64 * MiB);
  expect(observed).toBeGreaterThan(10);
  const after = Number((await run(channel, ["memory"])).stdout);
  expect((after - before) / 1024).toBeLessThan(64);
  expect((process.memoryUsage().rss - ours) / MiB).toBeLessThan(64);
  expect(seen.faults).toEqual([]);
});

test("64 MiB of input reach the adapter whole", async () => {
  const { channel } = toy();
  async function* input() {
    const chunk = new Uint8Array(MiB);
    for (let n = 0; n < 64; n += 1) yield chunk;
  }
  expect((await run(channel, ["count"], { input: input() })).stdout).toBe(String(64 * MiB));
});

test("a harness that does not read stops the adapter's output, not the adapter", async () => {
  started = toy();
  const [program = "", ...args] = serveArgv(TOY);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  try {
    const request = (id: number, argv: readonly string[]) =>
      `${JSON.stringify({ jsonrpc: "2.0", id, method: "exec", params: { id: "s1", command: { argv }, deadlineMs: 60_000 } })}\n`;
    child.stdin.write(request(1, ["flood", String(64 * MiB)]));
    await once(child.stdout, "readable");
    // Nobody reads from here on: this long is enough for hundreds of MiB, if they were not stopped.
    const UNREAD_MS = 1_000;
    await new Promise((resolve) => setTimeout(resolve, UNREAD_MS));
    child.stdin.write(request(2, ["flooded"]));
    let flooded: number | undefined;
    let rest = "";
    for await (const chunk of child.stdout.setEncoding("utf8")) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      const mine = lines.find((line) => line.includes('"call":2'));
      if (mine === undefined) continue;
      const { params } = JSON.parse(mine) as { params: { data: string } };
      flooded = Number(Buffer.from(params.data, "base64").toString());
      break;
    }
    // What the pipe and the streams hold, not 64 MiB.
    expect(flooded).toBeLessThan(4 * MiB);
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});
