import { join } from "node:path";
import { execa } from "execa";
import { describe, expect, test } from "vitest";
import { didYouMean } from "../../cli/usage.ts";
import { idsOfProfile } from "../../contract/requirements.ts";

const BIN = join(import.meta.dirname, "..", "..", "bin", "sandproof.js");
const sandproof = (...args: readonly string[]) => execa(process.execPath, [BIN, ...args], { reject: false });

describe("the command line", () => {
  test.each([
    [["--help"], "Usage: sandproof"],
    [["--version"], "0."],
    [["list", "--help"], "--profile"],
  ])("%j answers and exits 0", async (args, text) => {
    const { exitCode, stdout, stderr } = await sandproof(...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain(text);
  });

  test.each([
    [["frobnicate"], "unknown command 'frobnicate'"],
    [["lst"], "Did you mean list?"],
    [["list", "--no-such-flag"], "unknown option '--no-such-flag'"],
    [["list", "--profile", "everything"], "Allowed choices are prove, core, full"],
    [["list", "too-many"], "too many arguments"],
    [["list", "--", "python3"], "takes nothing after"],
    [["adapter", "serve"], "missing required argument"],
    [[], "No command was given"],
  ])("%j is a usage error: 254, a sentence, a next step, no stack", async (args, text) => {
    const { exitCode, stdout, stderr } = await sandproof(...args);
    expect(exitCode).toBe(254);
    expect(stdout).toBe("");
    expect(stderr).toContain(text);
    expect(stderr).toMatch(/Run `sandproof .*--help`/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test("an adapter that is not there is a usage error", async () => {
    const { exitCode, stderr } = await sandproof("adapter", "serve", "no-such-provider");
    expect(exitCode).toBe(254);
    expect(stderr).toContain("There is no provider or adapter module `no-such-provider`");
  });

  test("adapter serve answers on its stdout and ends at the end of input", async () => {
    const request = { jsonrpc: "2.0", id: 1, method: "shutdown", params: {} };
    const module = join(import.meta.dirname, "fixtures", "unasked-adapter.ts");
    const input = `${JSON.stringify(request)}\n`;
    const { exitCode, stdout } = await execa(process.execPath, [BIN, "adapter", "serve", module], { input });
    expect({ exitCode, reply: JSON.parse(stdout) as unknown }).toEqual({
      exitCode: 0,
      reply: { jsonrpc: "2.0", id: 1, result: {} },
    });
  });

  test("doctor says what is missing and how to fix it, and exits 4", async () => {
    const module = join(import.meta.dirname, "fixtures", "unready-adapter.ts");
    const { exitCode, stdout, stderr } = await sandproof("doctor", module);
    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: "" });
    expect(stdout).toContain("unready 1.0 (boundary shared-kernel): not ready");
    expect(stdout).toContain("the \\u{1b}[31mengine is not running");
    expect(stdout).toContain("fix: start the engine");
  });

  test("--debug shows the stack of a mistake", async () => {
    expect((await sandproof("list", "--debug", "extra")).stderr).toMatch(/^\s+at /m);
  });

  test("list --json prints the checks of a profile", async () => {
    const { stdout } = await sandproof("list", "--profile", "prove", "--json");
    const { checks } = JSON.parse(stdout) as { checks: { id: string }[] };
    expect(checks.map(({ id }) => id)).toEqual(idsOfProfile("prove"));
  });

  test("NO_COLOR is respected", async () => {
    const list = (env: Record<string, string>) => execa(process.execPath, [BIN, "list"], { env });
    expect((await list({ NO_COLOR: "1" })).stdout).not.toContain("\u001B");
  });
});

test("a near miss is offered, a far one is not", () => {
  expect(didYouMean("namespace", ["namespaces", "docker"])).toBe("Did you mean namespaces?");
  expect(didYouMean("nonsense", ["namespaces", "docker"])).toBeUndefined();
});
