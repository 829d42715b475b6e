import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cgroupRoot } from "../../../providers/namespaces/host.ts";
import { type Bench, call, cgroupsWith, eventually, openAdapter, openBench, processesWith } from "./support.ts";

const CRASHES = 24;
/** One cycle of crasher.ts takes less on an idle machine; ms. */
const CYCLE_MS = 120;

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

async function crashAfter(ms: number): Promise<void> {
  const script = fileURLToPath(new URL("crasher.ts", import.meta.url));
  const child = spawn(process.execPath, [script], { env: { ...process.env }, stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  await after(ms);
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** What a sandbox's record says of the host, read past the adapter. */
function leases(): { id: string; slot: number }[] {
  const home = join(bench.state, "sandproof-namespaces");
  const ids = existsSync(home) ? readdirSync(home) : [];
  return ids.flatMap((id) => {
    const file = ["sandbox.json", "ending.json"].map((name) => join(home, id, name)).find((path) => existsSync(path));
    return file === undefined ? [] : [{ id, slot: (JSON.parse(readFileSync(file, "utf8")) as { slot: number }).slot }];
  });
}

describe("an adapter killed at any point", () => {
  it("leaves only what the next one lists and removes, from the host too", { timeout: 120_000 }, async () => {
    const states = new Set<string>();
    for (let i = 0; i < CRASHES; i++) {
      const ms = randomInt(CYCLE_MS);
      await crashAfter(ms);
      const left = leases();
      const next = await openAdapter();
      const { items } = await next.list({ labels: { crash: "yes" } }, call());
      expect(
        items.map(({ id }) => id as string),
        `killed after ${ms} ms`,
      ).toEqual(left.map(({ id }) => id).sort());
      for (const { id, state } of items) {
        states.add(state);
        await next.destroy({ id }, call());
      }
      for (const { id, slot } of left) {
        expect(cgroupsWith(id)).toEqual([]);
        const lease = join(cgroupRoot() ?? "", `sandproof-${slot}`);
        // Another test may have the slot by now: then its sandbox is in it.
        if (existsSync(lease))
          await eventually(
            "an empty lease is gone",
            () => !existsSync(lease) || readdirSync(lease).some((n) => n.startsWith("ns-")),
          );
        await eventually("helpers are gone", () => processesWith(id).length === 0);
      }
      expect((await next.list({}, call())).items).toEqual([]);
      expect(readdirSync(bench.state), `killed after ${ms} ms`).toEqual([]);
    }
    expect(states.size).toBeGreaterThan(0);
  });

  it("is followed by two that remove at once, after one died removing", async () => {
    const id = await bench.create();
    await bench.run(id, "sleep 600 &");
    const script = `import { call, openAdapter } from ${JSON.stringify(new URL("support.ts", import.meta.url).href)};
      const adapter = await openAdapter();
      process.stdout.write("ready\\n");
      await adapter.destroy({ id: ${JSON.stringify(id)} }, call());`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    const results = await Promise.allSettled([1, 2].map(() => bench.adapter.destroy({ id }, call())));
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "not-found" });
    expect(cgroupsWith(id)).toEqual([]);
    expect((await bench.adapter.observe({ id }, call())).state).toBe("absent");
  });
});
