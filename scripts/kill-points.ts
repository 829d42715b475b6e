/**
 * Kills −9 at drawn moments of `prove`: first its harness, then `sweep` must leave nothing; then its adapter, and the run itself
 * must end and leave nothing. A line for each point; exit 1 when anything is left.
 * `npm run kill-points -- [--points 40] [--seed n] [--victim harness|adapter]`
 */
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { seededRandom } from "../contract/random.ts";
import { type Point, reach } from "../test/live/kill-point.ts";
import { openPlace } from "../test/live/place.ts";

const { values } = parseArgs({
  options: {
    points: { type: "string", default: "40" },
    seed: { type: "string", default: String(randomInt(2 ** 32)) },
    victim: { type: "string" },
  },
});
const say = (text: string) => process.stdout.write(`${text}\n`);

/** Every fourth point falls into the start, where most of the state comes to be; every fifth sweep is killed as well. */
const START_MS = 1_500;
const SWEEP_MS = 900;
const SHARE_OF_START = 4;
const SHARE_OF_KILLED_SWEEPS = 5;

async function length(): Promise<number> {
  const place = openPlace();
  try {
    const begun = performance.now();
    const { exitCode, stderr } = await place.start(["prove", "--out", place.out]);
    if (exitCode !== 0) throw new Error(`prove exits ${exitCode} without any kill: ${stderr}`);
    return performance.now() - begun;
  } finally {
    await place.close();
  }
}

const random = seededRandom(Number(values.seed));
const wholeMs = await length();
say(`prove takes ${(wholeMs / 1000).toFixed(1)} s here; seed ${values.seed}`);
let bad = 0;
for (const victim of ["harness", "adapter"] as const) {
  if (values.victim !== undefined && values.victim !== victim) continue;
  const codes: string[] = [];
  let missed = 0;
  let faulty = 0;
  for (let n = 0; n < Number(values.points); n += 1) {
    const within = n % SHARE_OF_START === 0 ? START_MS : wholeMs;
    const afterMs = Math.floor(random() * within);
    const sweepKilledAfterMs = Math.floor(random() * SWEEP_MS);
    const point: Point = {
      victim,
      afterMs,
      ...(victim === "harness" && n % SHARE_OF_KILLED_SWEEPS === 0 ? { sweepKilledAfterMs } : {}),
    };
    const { killed, exitCode, at, faults, told } = await reach(point);
    if (!killed) missed += 1;
    if (faults.length > 0) faulty += 1;
    codes.push(String(exitCode ?? "killed"));
    const swept = point.sweepKilledAfterMs === undefined ? "" : `, sweep killed at ${point.sweepKilledAfterMs} ms`;
    const how = killed ? "" : " (had ended)";
    const end = faults.length === 0 ? "nothing left" : `LEFT:\n  ${faults.join("\n  ")}`;
    say(
      `${victim} ${String(n + 1).padStart(2)}  ${String(afterMs).padStart(5)} ms${how}${swept}  at ${at}  exit ${exitCode ?? "–"}  ${end}`,
    );
    if (told !== undefined) say(`  ${told}`);
  }
  const counts = [...new Set(codes)]
    .sort()
    .map((code) => `${code} × ${codes.filter((other) => other === code).length}`);
  say(
    `${victim}: ${values.points} points, ${missed} after the end, ${faulty} left something; exits ${counts.join(", ")}`,
  );
  bad += faulty;
}
process.exitCode = bad === 0 ? 0 : 1;
