import { describe, expect, test } from "vitest";
import { type HostProcess, living, readProcess, readProcesses } from "../../witness/processes.ts";
import { valueOf } from "../../witness/read.ts";
import { find, isLive, kill, launch, newToken, scene, until } from "./support.ts";

const IN_A_NAMESPACE = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child=KILL"];
const home = valueOf(readProcess(process.pid))?.pidNamespace;

/** A wrapper on the host's side, which carries the argument too and outlives the namespace that it started. */
function sandboxed(token: string): { wrapper: number; inner: () => Promise<number> } {
  const script = `"$@"; sleep 300; :`;
  const guest = ["sh", "-c", "sleep 300; :", token];
  const wrapper = launch(["sh", "-c", script, "wrapper", ...IN_A_NAMESPACE, ...guest]).pid;
  const inner = async () =>
    (
      await until("the guest's shell", () =>
        find((one) => one.pidNamespace !== home && one.commandLine?.[0] === "sh" && one.commandLine.at(-1) === token),
      )
    ).pid;
  return { wrapper, inner };
}

describe("a planted token", () => {
  test("is counted in the harness's namespace where there is no other, and no longer when it has ended", async () => {
    const of = scene();
    const { witness } = of;
    const token = newToken();
    expect(witness.token(token, "s1")).toBe(0);
    const child = launch(["sh", "-c", "sleep 300; :", token]);
    await until("exec", () => witness.token(token, "s1") === 1);
    expect(witness.native("s1")).toBeUndefined();
    kill(child.pid);
    await until("its end", () => witness.token(token, "s1") === 0);
    expect(of.records("token").at(-1)).toEqual({ token, target: "s1", alive: 0 });
  });

  test("is not counted in an adopted process or a zombie", async () => {
    const { witness } = scene();
    const token = newToken();
    const adapter = launch(["sh", "-c", "sh -c : $0 & exec sleep 300", token]);
    await until("exec", () => find((one) => one.pid === adapter.pid && one.commandLine?.[0] === "sleep"));
    await until("a zombie", () =>
      [...readProcesses().byPid.values()].find((one) => one.ppid === adapter.pid && one.state === "Z"),
    );
    expect(witness.token(token)).toBe(0);
    const bearer = launch(["sh", "-c", "sleep 300; :", token]);
    await until("exec", () => witness.token(token) === 1);
    witness.adopt(bearer.pid);
    expect(witness.token(token)).toBe(0);
  });

  test("is counted once behind a shell that passes it on", async () => {
    const { witness } = scene();
    const token = newToken();
    launch(["sh", "-c", 'sh -c "sleep 300; :" "$0"; :', token]);
    const bears = (one: HostProcess) => one.commandLine?.at(-1) === token;
    await until("both shells", () => living(readProcesses()).filter(bears).length === 2);
    expect(witness.token(token)).toBe(1);
  });

  test("counts inside its namespace only; the wrapper that outlives it does not count", async () => {
    const of = scene();
    const { witness } = of;
    const token = newToken();
    const { wrapper, inner } = sandboxed(token);
    const pid = await inner();
    await until("the guest's child", () => find((one) => one.ppid === pid));
    expect(witness.token(token, "s1")).toBe(1);
    expect(witness.native("s1")).toEqual({ target: "s1", live: true, items: 2 });
    kill(pid);
    await until("its end", () => !isLive(pid));
    expect(isLive(wrapper)).toBe(true);
    expect(witness.token(token, "s1")).toBe(0);
    await until("the namespace's end", () => witness.native("s1")?.live === false);
    expect(of.records("native").at(-1)).toEqual({ target: "s1", live: false, items: 0 });
  });

  test("a namespace whose number is given away again is not the target's", async () => {
    const { witness } = scene();
    const [first, second] = [newToken(), newToken()];
    const one = await sandboxed(first).inner();
    witness.token(first, "s1");
    kill(one);
    await until("its end", () => witness.native("s1")?.live === false);
    const two = await sandboxed(second).inner();
    expect(witness.token(second, "s2")).toBe(1);
    expect(witness.native("s1")).toMatchObject({ live: false });
    expect(witness.native("s2")).toMatchObject({ live: true });
    kill(two);
  });

  test("what lives in the token's namespace is ours, whoever started it", async () => {
    const of = scene();
    of.witness.frame("before");
    const token = newToken();
    const pid = await sandboxed(token).inner();
    const child = await until("the guest's child", () => find((one) => one.ppid === pid));
    of.witness.token(token, "s1");
    const [processes] = of.witness.frame("after");
    const mine = processes?.ours.map((item) => item.identity);
    expect(mine).toContain(valueOf(readProcess(pid))?.identity);
    expect(mine).toContain(child.identity);
    expect(mine).toHaveLength(2);
  });

  test("a client's command line counts only without the program's name", async () => {
    const { witness } = scene();
    const token = newToken();
    launch(["perl", "-e", "sleep 300", "sh", "-c", ":", token]);
    await until("exec", () => witness.token(token) === 1);
    expect(witness.token(token, undefined, "sh")).toBe(0);
  });
});
