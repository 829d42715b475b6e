import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxId } from "../../../schemas/core.ts";
import { METHODS } from "../../../schemas/messages.ts";
import { check } from "../../../schemas/validate.ts";
import { type Bench, call, cgroupsWith, exited, openAdapter, openBench, processesWith, token } from "./support.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const unknown = `ns-${"q".repeat(16)}` as SandboxId;

describe("describe", () => {
  it("fits its schema and is stable", async () => {
    const description = await bench.adapter.describe();
    expect(check(METHODS.describe.result, description)).toMatchObject({ ok: true });
    expect(await bench.adapter.describe()).toEqual(description);
  });

  it("names only tools that are there, the user and the folder that commands get", async () => {
    const { guest } = await bench.adapter.describe();
    const id = await bench.create();
    const { stdout } = await bench.run(
      id,
      `for t in ${guest.tools.join(" ")}; do command -v $t >/dev/null || echo $t; done`,
    );
    expect(stdout).toBe("");
    const { stdout: who } = await bench.run(id, 'id -un; pwd; echo "$HOME"; touch "$HOME/x" && echo writable');
    expect(who).toBe(`${guest.user}\n${guest.workdir}\n${guest.workdir}\nwritable\n`);
    await bench.adapter.destroy({ id }, call());
  });
});

describe("create and destroy", () => {
  it("makes a sandbox that list, observe and a later adapter show, and removes all of it", async () => {
    const labels = { "sandproof-run": "ü".repeat(100), empty: "" };
    const id = await bench.create({ labels });
    const later = await openAdapter();
    for (const adapter of [bench.adapter, later]) {
      const { items, complete } = await adapter.list({ labels, pageSize: 1 }, call());
      expect([items, complete]).toEqual([[{ id, state: "running", labels }], true]);
      expect(await adapter.observe({ id }, call())).toMatchObject({ state: "running", labels });
    }
    expect((await later.list({ labels: { empty: "other" } }, call())).items).toEqual([]);
    const inventory = await later.inventory?.native(call());
    expect(inventory?.items).toContainEqual({ kind: "sandbox", identity: id, state: "running" });
    expect(inventory?.items.filter(({ kind }) => kind === "cgroup").length).toBeGreaterThan(1);

    await later.destroy({ id }, call());
    expect(await bench.adapter.observe({ id }, call())).toEqual({ state: "absent", native: "absent" });
    expect((await bench.adapter.list({}, call())).items).toEqual([]);
    expect(cgroupsWith(id)).toEqual([]);
    expect(readdirSync(bench.state)).toEqual([]);
  });

  it("keeps the record, which holds the environment, to its owner", async () => {
    const id = await bench.create({ env: { TOKEN: "t" } });
    const folder = join(bench.state, "sandproof-namespaces", id);
    expect(statSync(folder).mode & 0o077).toBe(0);
    expect(statSync(join(folder, "sandbox.json")).mode & 0o077).toBe(0);
    await bench.adapter.destroy({ id }, call());
  });

  it("ends stubborn processes in one call, and commands in progress with them", async () => {
    const id = await bench.create();
    await bench.run(id, "trap '' TERM HUP; sleep 987 & setsid sleep 987 & (sleep 987 & kill -STOP $!) ; true");
    const { promise: started, resolve: onOutput } = Promise.withResolvers<string>();
    const running = bench.run(id, "echo on; trap '' TERM; while :; do sleep 1; done", { onOutput });
    await started;
    await bench.adapter.destroy({ id }, call());
    expect((await running).exit).toEqual({ kind: "signaled", signal: "SIGKILL" });
    expect(cgroupsWith(id)).toEqual([]);
    expect(processesWith(id)).toEqual([]);
  });

  it("answers not-found for what is destroyed or was never there", async () => {
    const id = await bench.create();
    await bench.adapter.destroy({ id }, call());
    for (const gone of [id, unknown, "../../etc" as SandboxId]) {
      await expect(bench.adapter.destroy({ id: gone }, call())).rejects.toMatchObject({
        code: "not-found",
        definite: true,
      });
      await expect(bench.run(gone, "true")).rejects.toMatchObject({ code: "not-found", definite: true });
      expect((await bench.adapter.observe({ id: gone }, call())).state).toBe("absent");
    }
  });

  it("lets concurrent destroys converge", async () => {
    const id = await bench.create();
    const later = await openAdapter();
    const results = await Promise.allSettled(
      [bench.adapter, later, bench.adapter].map((a) => a.destroy({ id }, call())),
    );
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "not-found" });
    }
    expect(results.some(({ status }) => status === "fulfilled")).toBe(true);
    expect(cgroupsWith(id)).toEqual([]);
  });

  it("leaves nothing of a create that is cancelled, at once or half-way", async () => {
    for (const afterMs of [undefined, 0, 5, 15]) {
      const abort = new AbortController();
      if (afterMs === undefined) abort.abort();
      else setTimeout(() => abort.abort(), afterMs);
      const made = await bench.adapter
        .create({ spec: {}, attempt: token }, call(abort.signal))
        .catch((error: unknown) => error);
      if (made instanceof Error) expect(made).toMatchObject({ code: "cancelled" });
      else await bench.adapter.destroy(made as { id: SandboxId }, call());
      expect((await bench.adapter.list({}, call())).items).toEqual([]);
    }
    expect(readdirSync(bench.state)).toEqual([]);
  });

  it("can be destroyed while it is made: by the id that list shows, from another process's view", async () => {
    const later = await openAdapter();
    for (let i = 0; i < 10; i++) {
      const making = bench.adapter
        .create({ spec: { labels: { race: String(i) } }, attempt: token }, call())
        .catch((e: unknown) => e);
      const listed = async () => (await later.list({ labels: { race: String(i) } }, call())).items[0];
      const item = await listed();
      if (item === undefined) throw new Error("the record is written first");
      expect(["pending", "running"]).toContain(item.state);
      for (let turn = 0; turn < i * 3; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
      await later.destroy({ id: item.id }, call());
      const made = await making;
      if (made instanceof Error) expect(made).toMatchObject({ name: "ProviderError" });
      expect(await listed()).toBeUndefined();
      expect(cgroupsWith(item.id)).toEqual([]);
    }
    expect(readdirSync(bench.state)).toEqual([]);
  });

  it("tells a sandbox whose init died as terminal until it is destroyed", async () => {
    const id = await bench.create();
    const [init] = readFileSync(join(bench.state, "sandproof-namespaces", id, "init"), "utf8").split(" ");
    process.kill(Number(init), "SIGKILL");
    for (;;) {
      const { state } = await bench.adapter.observe({ id }, call());
      if (state === "terminal") break;
      expect(state).toBe("running");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await expect(bench.run(id, "true")).rejects.toMatchObject({ code: "not-found" });
    await bench.adapter.destroy({ id }, call());
    expect(cgroupsWith(id)).toEqual([]);
  });
});

describe("spec", () => {
  const refused: [string, object, string][] = [
    ["name", { name: "x" }, "unsupported"],
    ["command", { command: ["/sandproof-no-such-file"] }, "unsupported"],
    ["egress", { egress: { mode: "none" } }, "unsupported"],
    ["ttl", { ttlSeconds: 5 }, "unsupported"],
    ["resources", { resources: { pids: 5 } }, "unsupported"],
    ["an invented member", { "x-sandproof-invented": 1, name: "x" }, "invalid-argument"],
    ["a bad name in env", { env: { "A=B": "c" } }, "invalid-argument"],
    ["a NUL in env", { env: { A: "b\0c" } }, "invalid-argument"],
    ["a label that is too long", { labels: { a: "b".repeat(1025) } }, "invalid-argument"],
  ];
  it.each(refused)("refuses %s before any effect", async (_, spec, code) => {
    const made = bench.adapter.create({ spec, attempt: token }, call());
    await expect(made).rejects.toMatchObject({ code, definite: true });
    expect(existsSync(join(bench.state, "sandproof-namespaces"))).toBe(false);
  });
});

describe("many", () => {
  it("makes sixteen at once, each with users, name and files of its own", async () => {
    const ids = await Promise.all(Array.from({ length: 16 }, () => bench.create()));
    expect(new Set(ids).size).toBe(16);
    const seen = await Promise.all(
      ids.map((id) => bench.run(id, "cat /proc/self/uid_map; hostname; echo $$ > mine; ls | wc -l")),
    );
    expect(new Set(seen.map(({ stdout }) => stdout.split("\n")[0])).size).toBe(16);
    expect(seen.map(({ stdout }) => stdout.split("\n").slice(1, 3))).toEqual(ids.map((id) => [id, "1"]));
    await Promise.all(ids.map((id) => bench.adapter.destroy({ id }, call())));
    expect(ids.flatMap(cgroupsWith)).toEqual([]);
    expect(readdirSync(bench.state)).toEqual([]);
  });

  it("leaves nothing after thirty in a row", async () => {
    for (let i = 0; i < 30; i++) {
      const id = await bench.create();
      expect((await bench.run(id, { argv: ["true"] })).exit).toEqual(exited(0));
      await bench.adapter.destroy({ id }, call());
      expect(cgroupsWith(id)).toEqual([]);
      expect(processesWith(id)).toEqual([]);
    }
    expect(readdirSync(bench.state)).toEqual([]);
  });
});
