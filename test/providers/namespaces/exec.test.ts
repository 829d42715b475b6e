import { createHash } from "node:crypto";
import { setTimeout as after } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxId } from "../../../schemas/core.ts";
import type { Command } from "../../../schemas/messages.ts";
import { type Bench, call, eventually, exited, openBench, processesWith } from "./support.ts";

const ENV = { QUOTES: `a"b'c\`d$e`, LINES: "one\ntwo\n", UNICODE: "ü✓😀", EMPTY: "", PATH2: "/x y" };

let bench: Bench;
let id: SandboxId;
beforeAll(async () => {
  process.env["SANDPROOF_CANARY"] = "canary-in-the-adapter";
  bench = await openBench();
  id = await bench.create({ env: ENV });
});
afterAll(() => bench.close());

const run = (command: Command | string, options?: Parameters<Bench["run"]>[2]) => bench.run(id, command, options);

describe("exit", () => {
  it.each([0, 1, 2, 7, 42, 126, 127, 128, 255])("keeps status %i", async (code) => {
    expect((await run(`exit ${code}`)).exit).toEqual(exited(code));
  });

  it.each(["KILL", "TERM", "SEGV"])("tells death by SIG%s", async (name) => {
    expect((await run(`kill -${name} $$`)).exit).toEqual({ kind: "signaled", signal: `SIG${name}` });
  });

  it("tells a missing program as 127 and one that may not run as 126", async () => {
    expect((await run({ argv: ["/sandproof-no-such-file"] })).exit).toEqual(exited(127));
    expect((await run({ argv: ["no-such-program"] })).exit).toEqual(exited(127));
    expect((await run({ argv: ["/etc/passwd"] })).exit).toEqual(exited(126));
  });

  it("refuses a missing folder, and runs nothing", async () => {
    const command = { script: "touch /tmp/ran", cwd: "/no/such/folder" };
    await expect(run(command)).rejects.toMatchObject({ code: "not-found", definite: true });
    await expect(run({ ...command, cwd: "/etc/passwd" })).rejects.toMatchObject({
      code: "invalid-argument",
      definite: true,
    });
    expect((await run({ argv: ["test", "-e", "/tmp/ran"] })).exit).toEqual(exited(1));
  });

  it("refuses arguments that are too large, tty, user and what it does not know", async () => {
    await expect(run({ argv: ["true", "x".repeat(200_000)] })).rejects.toMatchObject({
      code: "invalid-argument",
      definite: true,
    });
    await expect(run({ argv: ["true"], user: "root" })).rejects.toMatchObject({ code: "unsupported" });
    await expect(run({ argv: ["true"], tty: { rows: 1, cols: 1, term: "x" } })).rejects.toMatchObject({
      code: "unsupported",
    });
    const invented = { argv: ["true"], "x-sandproof-invented": 1 } as Command;
    await expect(run(invented)).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

describe("arguments and environment", () => {
  it("passes arguments exactly", async () => {
    const words = ["a b", "", `'"\`$HOME\\`, "new\nline\ttab", "ü✓", "-n", "*"];
    const { stdout } = await run({ argv: ["printf", "%s\\0", ...words] });
    expect(stdout.split("\0").slice(0, -1)).toEqual(words);
  });

  it("delivers env of sandbox and call exactly, and nothing of the adapter's", async () => {
    const { stdout } = await run({ argv: ["env", "-0"], env: { CALL: "x=y\n", UNICODE: "over" } });
    const entries = stdout
      .split("\0")
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
    const seen = Object.fromEntries(entries) as Record<string, string>;
    expect(seen).toMatchObject({ ...ENV, CALL: "x=y\n", UNICODE: "over" });
    expect(
      Object.keys(seen)
        .filter((name) => !(name in ENV))
        .sort(),
    ).toEqual(["CALL", "HOME", "LANG", "LOGNAME", "PATH", "SHELL", "USER"]);
    expect((await run("env; cat /proc/*/environ 2>/dev/null")).stdout).not.toContain("canary-in-the-adapter");
    expect((await run({ argv: ["printenv", "CALL"] })).exit).toEqual(exited(1));
  });

  it("shows env in no command line of the host", async () => {
    const secret = `secret-${process.pid}-value`;
    const running = run({ argv: ["sleep", "5"], env: { SECRET: secret }, timeoutMs: 300 });
    await after(100);
    expect(processesWith(secret)).toEqual([]);
    await running;
  });

  it("runs scripts of many lines", async () => {
    const { stdout } = await run("cat <<'X'\n$HOME\nX\nfor i in 1 2\ndo echo $i\ndone");
    expect(stdout).toBe("$HOME\n1\n2\n");
  });

  it("starts with default signals, umask 022, no terminal, no descriptor but three pipes", async () => {
    const { stdout } = await run(
      "grep -E '^Sig(Ign|Blk)' /proc/self/status; umask; ls /proc/$$/fd; yes | head -1; tty; ulimit -n",
    );
    expect(stdout).toBe("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0022\n0\n1\n2\ny\nnot a tty\n1024\n");
  });
});

describe("streams", () => {
  it("keeps them apart, and lets them be opened by name", async () => {
    const { stdout, stderr } = await run("echo out; echo err >&2; echo out2 > /dev/stdout; echo err2 > /dev/stderr");
    expect([stdout, stderr]).toEqual(["out\nout2\n", "err\nerr2\n"]);
  });

  it("carries large output past a slow reader, whole", async () => {
    const hash = createHash("sha256");
    let bytes = 0;
    const output = async (_: string, chunk: Uint8Array) => {
      hash.update(chunk);
      bytes += chunk.length;
      if (bytes % 16 === 0) await after(1);
    };
    const command = { script: "head -c 16777216 /dev/urandom | tee /tmp/large; sha256sum </tmp/large >&2" };
    const seen = { stderr: "" };
    const { exit } = await bench.adapter.exec(
      { id, command },
      {
        output: async (stream, chunk) =>
          stream === "stdout" ? output(stream, chunk) : void (seen.stderr += Buffer.from(chunk).toString()),
      },
      call(),
    );
    expect([exit, bytes]).toEqual([exited(0), 16_777_216]);
    expect(seen.stderr).toContain(hash.digest("hex"));
  });

  it("keeps the output of very short commands", async () => {
    for (let i = 0; i < 40; i++) expect((await run({ argv: ["echo", String(i)] })).stdout).toBe(`${i}\n`);
  });

  it("gives end of input where none was asked for", async () => {
    expect(await run({ argv: ["cat"] })).toMatchObject({ exit: exited(0), stdout: "" });
  });

  it("gives input, whole, and survives a reader that leaves early", async () => {
    async function* input() {
      for (let i = 0; i < 256; i++) yield Buffer.alloc(65_536, i);
    }
    const expected = createHash("sha256");
    for await (const chunk of input()) expected.update(chunk);
    const { stdout } = await run({ argv: ["sha256sum"], stdin: true }, { input: input() });
    expect(stdout).toContain(expected.digest("hex"));
    expect((await run({ argv: ["head", "-c", "1"], stdin: true }, { input: input() })).exit).toEqual(exited(0));
  });

  it("ends though the input never does", async () => {
    async function* endless() {
      yield Buffer.from("x");
      await new Promise(() => undefined);
    }
    const { exit, stdout } = await run({ argv: ["head", "-c", "1"], stdin: true }, { input: endless() });
    expect([exit, stdout]).toEqual([exited(0), "x"]);
  });

  it("is not held by a child that keeps the streams, and the child lives on and may print", async () => {
    const { exit, stdout } = await run(
      "(sleep 0.3; echo late; echo late >&2; sleep 0.1; echo done > /tmp/background) & echo now",
    );
    expect([exit, stdout]).toEqual([exited(0), "now\n"]);
    const wait = "while ! [ -e /tmp/background ]; do sleep 0.05; done; cat /tmp/background";
    expect(await run({ script: wait, timeoutMs: 5_000 })).toMatchObject({ exit: exited(0), stdout: "done\n" });
  });
});

describe("stopping", () => {
  const tree = (mark: string) =>
    `trap '' TERM HUP; echo first; setsid sleep ${mark} & (sleep ${mark} & sleep ${mark}) & sleep ${mark}; sleep ${mark}`;

  it("kills the whole tree at the time-out and keeps what was printed", async () => {
    const result = await run({ script: tree("54321.5"), timeoutMs: 400 });
    expect(result).toMatchObject({ exit: { kind: "timed-out" }, stdout: "first\n" });
    await eventually("the tree is dead", () => processesWith("54321.5").length === 0);
  });

  it("kills the whole tree at a cancel", async () => {
    const abort = new AbortController();
    const running = run(tree("54321.6"), { signal: abort.signal, onOutput: () => abort.abort() });
    await expect(running).rejects.toMatchObject({ code: "cancelled", definite: false });
    await eventually("the tree is dead", () => processesWith("54321.6").length === 0);
  });

  it("stops a command that was cancelled before it began", async () => {
    const abort = new AbortController();
    abort.abort();
    await expect(run("sleep 54321.7", { signal: abort.signal })).rejects.toMatchObject({ code: "cancelled" });
    expect(processesWith("54321.7")).toEqual([]);
  });

  it("survives a command that stops or kills all that it can", async () => {
    await run({ script: "kill -STOP $$", timeoutMs: 200 });
    await run("kill -9 -1; kill -9 1; exec 0<&- 1>&- 2>&-; kill -9 $$");
    expect((await run("echo fine")).stdout).toBe("fine\n");
  });
});

describe("many", () => {
  it("runs sixteen at once, each with its own output and status", async () => {
    const results = await Promise.all(
      Array.from({ length: 16 }, (_, i) => run(`echo ${i}; echo e${i} >&2; sleep 0.05; exit ${i}`)),
    );
    expect(results).toEqual(
      Array.from({ length: 16 }, (_, i) => ({ exit: exited(i), stdout: `${i}\n`, stderr: `e${i}\n` })),
    );
  });

  it("reaps orphans", async () => {
    await run("for i in $(seq 200); do (true &) ; done");
    const zombies = "cat /proc/[0-9]*/stat 2>/dev/null | grep -c ') Z '";
    expect(Number((await run(zombies)).stdout)).toBeLessThanOrEqual(2);
  });
});
