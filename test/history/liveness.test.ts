import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isAlive, parseStat, startTimeOf, thisProcess } from "../../history/liveness.ts";

test("this process lives", () => {
  expect(isAlive(thisProcess())).toBe("alive");
  expect(thisProcess().pid).toBe(process.pid);
});

test("a pid that was given out again is another process", () => {
  expect(isAlive({ ...thisProcess(), startTime: "1" })).toBe("dead");
});

test("of another boot or PID namespace nothing is said", () => {
  expect(isAlive({ ...thisProcess(), bootId: "00000000-0000-0000-0000-000000000000" })).toBe("elsewhere");
  expect(isAlive({ ...thisProcess(), pidNamespace: "pid:[1]" })).toBe("elsewhere");
});

test("a child lives until it is killed", async () => {
  const child = spawn("sleep", ["60"]);
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const startTime = startTimeOf(pid) ?? "";
  const identity = { ...thisProcess(), pid, startTime };
  expect(isAlive(identity)).toBe("alive");
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
  expect(isAlive(identity)).toBe("dead");
  expect(startTimeOf(pid)).toBeUndefined();
});

test("a zombie counts as dead", async () => {
  // The shell becomes `sleep`, which never waits for the child that the shell had started.
  const parent = spawn("sh", ["-c", "sh -c 'echo $$; exit 0' & exec sleep 60"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(line.toString());
    const startTime = await untilZombie(pid);
    expect(isAlive({ ...thisProcess(), pid, startTime })).toBe("dead");
  } finally {
    const gone = once(parent, "exit");
    parent.kill("SIGKILL");
    await gone;
  }
});

const ZOMBIE_WAIT_MS = 5000;
async function untilZombie(pid: number): Promise<string> {
  const limit = Date.now() + ZOMBIE_WAIT_MS;
  for (;;) {
    const stat = parseStat(readFileSync(`/proc/${pid}/stat`, "utf8"));
    if (stat.state === "Z") return stat.startTime;
    if (Date.now() > limit) throw new Error(`the child is still in state ${stat.state}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("the command in a stat line may hold brackets, spaces and newlines", () => {
  const rest = Array.from({ length: 50 }, (_, index) => String(index + 3))
    .join(" ")
    .replace(/^3/, "S");
  expect(parseStat(`123 (a) S 1 (b\n) ) ${rest}`)).toEqual({ pid: 123, state: "S", flags: 9, startTime: "22" });
});
