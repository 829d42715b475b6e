/**
 * How fast `namespaces` is, through the same wire as in a run: create to the end of the first exec, one more exec, destroy.
 * One after the other, one sandbox alive at a time. `npm run bench -- launch [n]`. Bound: median launch 100 ms on an idle machine.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { serveArgv } from "../cli/providers.ts";
import { startClock } from "../contract/clock.ts";
import { adapterEnvironment, adapterFolders } from "../engine/session.ts";
import { newRunId, newToken } from "../history/tokens.ts";
import type { SandboxId } from "../schemas/core.ts";
import type { Method, Result } from "../schemas/messages.ts";
import { percentile } from "../stats/percentiles.ts";
import type { Channel } from "../wire/channel.ts";
import { spawnAdapter } from "../wire/process.ts";

const WARM_UPS = 3;
const LEAST = 40;
const BOUND_MS = 100;
const WAIT = { deadlineMs: 30_000, graceMs: 2_000 } as const;

interface Sample {
  readonly launch: number;
  readonly exec: number;
  readonly destroy: number;
}
type Phase = keyof Sample;

async function ask<M extends Method>(channel: Channel, method: M, params: object): Promise<Result<M>> {
  const outcome = await channel.call(method, params, WAIT).outcome;
  if (outcome.kind !== "ok") throw new Error(`${method} ended as ${JSON.stringify(outcome)}`);
  return outcome.result;
}

async function execTrue(channel: Channel, id: SandboxId): Promise<void> {
  const { exit } = await ask(channel, "exec", { id, command: { argv: ["true"] } });
  if (exit.kind !== "exited" || exit.code !== 0) throw new Error(`true ended as ${JSON.stringify(exit)}`);
}

/** Milliseconds of each phase. */
async function measure(channel: Channel): Promise<Sample> {
  const begun = performance.now();
  const { id } = await ask(channel, "create", { spec: {}, attempt: newToken() });
  try {
    await execTrue(channel, id);
    const launched = performance.now();
    await execTrue(channel, id);
    const executed = performance.now();
    await ask(channel, "destroy", { id });
    return { launch: launched - begun, exec: executed - launched, destroy: performance.now() - executed };
  } catch (error) {
    await ask(channel, "destroy", { id });
    throw error;
  }
}

const ms = (value: number): string => value.toFixed(1);

function quantile(samples: readonly number[], p: number): string {
  const found = percentile(samples, p);
  if (found.kind === "too-small") return "n too small";
  return `${ms(found.value)} [${found.low === undefined ? "–" : ms(found.low)}, ${ms(found.high)}]`;
}

const n = Math.max(LEAST, Number(process.argv[3] ?? LEAST) || LEAST);
const scratch = mkdtempSync(join(tmpdir(), "sandproof-bench-"));
const channel = spawnAdapter({
  argv: serveArgv("namespaces"),
  env: adapterEnvironment({ runId: newRunId(), folders: adapterFolders(scratch), incarnation: 1, passed: {} }),
  clock: startClock(),
  events: { fault: () => {}, secret: () => {}, stderr: (chunk) => void process.stderr.write(chunk), ended: () => {} },
});
const warmUps: Sample[] = [];
const samples: Sample[] = [];
const loadBefore = loadavg()[0] ?? 0;
try {
  await ask(channel, "describe", { contract: 1, options: {} });
  for (let i = 0; i < WARM_UPS; i += 1) warmUps.push(await measure(channel));
  for (let i = 0; i < n; i += 1) samples.push(await measure(channel));
} finally {
  await channel.close();
  rmSync(scratch, { recursive: true, force: true });
}

const of = (phase: Phase) => samples.map((sample) => sample[phase]);
const say = (text: string) => process.stdout.write(`${text}\n`);
const load = `${loadBefore.toFixed(1)} before, ${loadavg()[0]?.toFixed(1)} after`;
say(`namespaces, node ${process.version}, ${availableParallelism()} cores, load ${load}, n = ${n}, sequential`);
say("milliseconds; percentiles with distribution-free 95 % intervals");
for (const phase of ["launch", "exec", "destroy"] as const) {
  const values = of(phase);
  const range = `min ${ms(Math.min(...values))}  max ${ms(Math.max(...values))}`;
  const early = warmUps.map((sample) => ms(sample[phase])).join(" ");
  say(
    `${phase.padEnd(7)}  p50 ${quantile(values, 0.5)}  p90 ${quantile(values, 0.9)}  ${range}  (warm-ups apart: ${early})`,
  );
}
const launch = percentile(of("launch"), 0.5);
if (launch.kind === "estimate") {
  const verdict =
    launch.high <= BOUND_MS ? "kept" : launch.low !== undefined && launch.low > BOUND_MS ? "exceeded" : "not decided";
  say(`bound: median launch ≤ ${BOUND_MS} ms on an idle machine: ${verdict}`);
}
