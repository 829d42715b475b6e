/** The working folder of a small run, with facts as the engine and the witnesses would have written them. */
import { hash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stableJson } from "../../evidence/json.ts";
import { rootOf } from "../../evidence/root.ts";
import { seal } from "../../evidence/seal.ts";
import { genesis } from "../../history/chain.ts";
import { Digests } from "../../history/digests.ts";
import { newRunId, newToken } from "../../history/tokens.ts";
import { WitnessLog } from "../../history/witness-log.ts";
import { HistoryWriter } from "../../history/writer.ts";
import { KnownValues } from "../../redaction/known-values.ts";
import type { Environment, HostPlane, Manifest } from "../../schemas/documents.ts";

const PLANES: readonly HostPlane[] = [
  "processes",
  "mounts",
  "network-devices",
  "cgroups",
  "temp-entries",
  "local-state",
];
const CODES = [0, 1, 2, 7, 42, 126, 127, 128, 255];

export interface Plan {
  /** Replaces members of the environment. */
  readonly environment?: Partial<Environment>;
  /** What the provider says of exit code 7. */
  readonly seven?: number;
  /** Processes of the run that are there after it. */
  readonly left?: number;
  readonly end?: "end" | "killed";
}

export const environmentOf = (changes: Partial<Environment> = {}): Environment => ({
  schema: "sandproof-environment/1",
  runId: newRunId(),
  harness: { version: "0.1.0", node: "v24.0.0", platform: "linux-x64", kernel: "6.1.0" },
  startedAt: "2026-01-02T03:04:05.000Z",
  contract: 1,
  profile: "prove",
  selection: { checks: ["exec.exit-code"], suites: [], skip: [] },
  seed: "42",
  shard: "0",
  command: ["sandproof", "run", "toy", "--check", "exec.exit-code", "--seed", "42"],
  provider: { name: "toy", version: "1.0.0" },
  adapter: { name: "toy-adapter", version: "1.0.0", files: "0".repeat(64) },
  target: { endpointClass: "this-host" },
  boundary: "shared-kernel",
  minimumBoundary: "shared-kernel",
  ownership: "labels",
  ephemeral: false,
  capabilities: {},
  claims: {},
  waits: {},
  quotas: {},
  cost: {},
  guest: { shell: "/bin/sh", tools: ["sh"], workdir: "/", user: "root" },
  budget: { timeMs: 60_000, sandboxes: 10 },
  passEnv: [],
  ...changes,
});

/** Writes `partial` with environment, history and witness log. */
export function buildRun(partial: string, { seven = 7, left = 0, end = "end", ...plan }: Plan = {}): Environment {
  const environment = environmentOf(plan.environment);
  mkdirSync(join(partial, "history"), { recursive: true });
  const document = stableJson(environment);
  writeFileSync(join(partial, "environment.json"), document);
  let now = 0;
  const clock = {
    now() {
      now += 1_000_000;
      return now;
    },
  };
  const digests = new Digests(new Uint8Array(32).fill(7));
  const witness = WitnessLog.create({ path: join(partial, "witness.ndjson"), clock });
  const frame = (moment: string, processes: number) => {
    for (const plane of PLANES) {
      const ours = Array.from({ length: plane === "processes" ? processes : 0 }, (_, n) =>
        digests.pseudonym("process", String(n)),
      );
      witness.append("host", "plane", { plane, moment, readable: true, ours, others: 3 });
    }
  };
  const history = HistoryWriter.create({
    path: join(partial, "history", "0.ndjson"),
    genesis: genesis({
      runId: environment.runId,
      shard: environment.shard,
      challenge: environment.challenge,
      environmentSha256: hash("sha256", document),
    }),
    clock,
  });
  frame("before", 0);
  writeLife(history, digests, seven, () => frame("during", 2));
  frame("after", left);
  witness.close();
  if (end === "end") history.end();
  return environment;
}

function writeLife(history: HistoryWriter, digests: Digests, seven: number, during: () => void): void {
  const place = { process: 0, scenario: "exec.commands", target: "s1" };
  const call = (f: string, value: unknown, answer: unknown, probe?: string) => {
    const asked = { ...place, type: "invoke" as const, f, value };
    const { i, t } = history.append(probe === undefined ? asked : { ...asked, probe });
    history.append({ ...place, type: "ok", f, of: i, sent: t + 1000, value: answer });
  };
  const members = ["labels"];
  call("create", { attempt: newToken(), members }, { id: digests.pseudonym("sandbox", "s1") });
  during();
  const [stdout, stderr] = [digests.seenOf(""), digests.seenOf("")];
  for (const code of CODES) {
    const exit = (told: number) => ({ kind: "exited" as const, code: told });
    const content = digests.made(`exit ${code}`);
    call(
      "exec",
      { form: "script", content, members: [], expect: { exit: exit(code) } },
      { exit: exit(code === 7 ? seven : code), stdout, stderr },
      `exec.exit-code/code-${code}`,
    );
  }
  call("destroy", {}, {});
  const note = (f: string, scenario: string, value: unknown) =>
    history.append({ type: "note", f, process: 0, scenario, value });
  note("scenario-ended", "exec.commands", { outcome: "completed" });
  note("teardown", "harness", { attempts: 1, ended: 1, left: 0 });
}

export interface Folders {
  readonly partial: string;
  readonly out: string;
}

/** A folder for one run, removed afterwards. */
export async function withFolders(use: (folders: Folders) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sandproof-evidence-"));
  try {
    await use({ partial: join(folder, "run.partial"), out: join(folder, "run") });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A sealed run in `out`. */
export async function sealedRun({ partial, out }: Folders, plan: Plan = {}): Promise<string> {
  buildRun(partial, plan);
  await seal({ partial, out, known: new KnownValues() });
  return out;
}

/** What a forger does who knows the format: lists the files as they are now. */
export function relist(folder: string): void {
  const path = join(folder, "manifest.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
  const files = manifest.files.map((file) => {
    const bytes = readFileSync(join(folder, file.path));
    return { ...file, sha256: hash("sha256", bytes), bytes: bytes.byteLength };
  });
  const root = rootOf(files.filter(({ kind }) => kind === "fact"));
  writeFileSync(path, stableJson({ ...manifest, root, files }));
}

/** Replaces the text of one file; `change` must change it. */
export function edit(folder: string, path: string, change: (text: string) => string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  const before = readFileSync(file, "utf8");
  const after = change(before);
  if (after === before) throw new Error(`the edit of ${path} changes nothing`);
  writeFileSync(file, after);
}
