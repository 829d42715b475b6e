import { describe, expect, test } from "vitest";
import { hasEnded, living, readProcess, readProcesses } from "../../witness/processes.ts";
import { valueOf } from "../../witness/read.ts";
import { kill, launch, newToken, until } from "./support.ts";

describe("the process table", () => {
  test("reads a process as the kernel shows it", async () => {
    const token = newToken();
    const child = launch(["sleep", "300.0"], { SANDPROOF_RUN: token });
    const found = await until("exec", () => {
      const one = valueOf(readProcess(child.pid));
      return one?.commandLine?.[0] === "sleep" ? one : undefined;
    });
    expect(found.ppid).toBe(process.pid);
    expect(found.session).toBe(child.pid);
    expect(found.identity).toMatch(new RegExp(`^${child.pid}@[1-9][0-9]*$`));
    expect(found.commandLine).toEqual(["sleep", "300.0"]);
    expect(found.bears(`SANDPROOF_RUN=${token}`)).toBe(true);
    expect(found.bears(`SANDPROOF_RUN=${token.slice(1)}`)).toBe(false);
    expect(found.pidNamespace).toBe(valueOf(readProcess(process.pid))?.pidNamespace);
    expect(found.namespace("net")).toMatch(/^net:\[\d+\]$/);
    expect(found.cgroupLines?.length).toBeGreaterThan(0);
    expect(found.innermostPid).toBe(child.pid);
    expect(hasEnded(found)).toBe(false);
  });

  test("holds this process and no kernel thread", () => {
    const table = readProcesses();
    expect(table.readable).toBe(true);
    expect(table.byPid.has(process.pid)).toBe(true);
    expect(living(table).some((one) => one.pid === 2 && one.ppid === 0)).toBe(false);
  });

  test("a zombie has ended, and what is gone is absent", async () => {
    // `exec` keeps the shell's child, and sleep waits for no child.
    const parent = launch(["sh", "-c", "sleep 0 & exec sleep 300"]);
    const zombie = await until("a zombie", () =>
      [...readProcesses().byPid.values()].find((one) => one.ppid === parent.pid && one.state === "Z"),
    );
    expect(hasEnded(zombie)).toBe(true);
    expect(living(readProcesses()).some((one) => one.pid === zombie.pid)).toBe(false);
    kill(parent.pid);
    await until("it is gone", () => readProcess(parent.pid).kind === "gone");
    expect(readProcesses().byPid.has(parent.pid)).toBe(false);
    expect(zombie.bears("A=b")).not.toBe(true);
  });

  test("takes a name with brackets and spaces for a name", async () => {
    const child = launch(["perl", "-e", '$0 = "a) Z (b"; $| = 1; print "x"; sleep 300']);
    await new Promise((resolve) => child.stdout?.once("data", resolve));
    expect(valueOf(readProcess(child.pid))).toMatchObject({ ppid: process.pid });
    expect(valueOf(readProcess(child.pid))?.state).toMatch(/^[RS]$/);
  });
});
