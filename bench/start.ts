/**
 * Start time of the command line: medians of interleaved runs, beside the same Node doing nothing.
 * Bounds: `--help` 150 ms, `list` 300 ms.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";

const ROUNDS = 21;
const BIN = join(import.meta.dirname, "..", "bin", "sandproof.js");

const SUBJECTS = [
  { name: "node -e 0", argv: ["-e", "0"], boundMs: undefined },
  { name: "sandproof --help", argv: [BIN, "--help"], boundMs: 150 },
  { name: "sandproof list", argv: [BIN, "list"], boundMs: 300 },
] as const;

/** Milliseconds from spawn to exit. */
function measure(argv: readonly string[]): number {
  const begun = performance.now();
  const { status } = spawnSync(process.execPath, argv, { stdio: "ignore" });
  if (status !== 0) throw new Error(`${argv.join(" ")} exited with ${status}`);
  return performance.now() - begun;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

const samples = SUBJECTS.map((): number[] => []);
for (let round = 0; round < ROUNDS; round++) {
  for (const [at, { argv }] of SUBJECTS.entries()) samples[at]?.push(measure(argv));
}

const medians = samples.map(median);
const [nothing = Number.NaN] = medians;
const load = loadavg()[0]?.toFixed(1);
process.stdout.write(
  `node ${process.version}, ${availableParallelism()} cores, load ${load}, n = ${ROUNDS}, interleaved\n`,
);
for (const [at, { name, boundMs }] of SUBJECTS.entries()) {
  const value = medians[at] ?? Number.NaN;
  const bound = boundMs === undefined ? "" : `  bound ${boundMs} ms ${value <= boundMs ? "kept" : "exceeded"}`;
  process.stdout.write(
    `${name.padEnd(17)}  ${value.toFixed(0).padStart(4)} ms  ${(value / nothing).toFixed(2)} ×${bound}\n`,
  );
}
