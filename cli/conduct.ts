/** One run from the request to its facts on disk: state, adapter, witness, engine. Judging and reports come after. */
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { selectedIds } from "../analysis/selection.ts";
import { startClock } from "../contract/clock.ts";
import { effectiveWaits } from "../contract/waits.ts";
import { type Executed, execute, type Progress } from "../engine/execute.ts";
import { Ownership } from "../engine/ownership.ts";
import { Recorder } from "../engine/recorder.ts";
import { AdapterSession, adapterEnvironment, adapterFolders } from "../engine/session.ts";
import { stableJson } from "../evidence/json.ts";
import { genesis } from "../history/chain.ts";
import { Digests } from "../history/digests.ts";
import { Journal, type RunEntry } from "../history/journal.ts";
import { startTimeOf, thisProcess } from "../history/liveness.ts";
import { newToken } from "../history/tokens.ts";
import { WitnessLog } from "../history/witness-log.ts";
import { HistoryWriter } from "../history/writer.ts";
import { KnownValues } from "../redaction/known-values.ts";
import type { RunId } from "../schemas/core.ts";
import type { Description } from "../schemas/description.ts";
import type { Environment } from "../schemas/documents.ts";
import { SCENARIOS } from "../suites/catalogue.ts";
import { spawnAdapter } from "../wire/process.ts";
import { HostWitness } from "../witness/host-witness.ts";
import { adapterSource } from "./adapter-files.ts";
import { openDescription } from "./describe.ts";
import { environmentOf } from "./environment.ts";
import { gitState } from "./git-state.ts";
import type { OutFolder } from "./out-folder.ts";
import { packageFolder, version } from "./package.ts";
import type { RunRequest } from "./request.ts";
import type { Stop } from "./signals.ts";
import { StderrTail } from "./stderr-tail.ts";
import { UsageError } from "./usage.ts";

/** Bits of the key under which foreign content is digested; it is never written anywhere. */
const KEY_BYTES = 32;
/** A variable of the runner's own that no adapter and no sandbox may see. */
const RUNNER_CANARY = "SANDPROOF_RUNNER_CANARY";

export interface Conducted extends Executed {
  readonly environment: Environment;
  readonly known: KnownValues;
  readonly interrupted: boolean;
  /** Redacted last words of the adapter. */
  readonly adapterLog: string;
  /** What of the run is left on the host, for the person at the terminal; not for publication. */
  readonly leftOnHost: readonly string[];
  /** Forgets the run's private state, once nothing is left that would need it. */
  forget(): void;
}

export interface Conducting {
  readonly runId: RunId;
  readonly state: string;
  readonly folder: OutFolder;
  readonly stop: Stop;
  readonly progress: Progress;
  /** Called with what the run may do, before it does anything. */
  announce(environment: Environment, scenarios: number): void;
}

export async function conduct(request: RunRequest, run: Conducting): Promise<Conducted> {
  const { runId, folder } = run;
  const known = new KnownValues();
  for (const { value, secret } of request.passEnv) if (secret) known.add(value, "secret");
  const runnerCanary = `runner-canary-${newToken()}`;
  process.env[RUNNER_CANARY] = runnerCanary;

  const journal = openJournal(request, run);
  const folders = adapterFolders(journal.folder);
  const passed = Object.fromEntries(request.passEnv.map(({ name, value }) => [name, value]));
  const log = new StderrTail(known);
  const clock = startClock();
  let host: HostWitness | undefined;
  let recorder: Recorder | undefined;
  const pids = new Map<number, number>();

  const session = new AdapterSession(
    (incarnation, events) => {
      const env = adapterEnvironment({ runId, folders, incarnation, passed });
      host?.watch([env["TMPDIR"] ?? "", env["XDG_RUNTIME_DIR"] ?? ""]);
      return spawnAdapter({ argv: request.subject.argv, env, clock, events });
    },
    {
      fault: (fault, call) => recorder?.adapterFault(fault, call),
      secret: (value) => known.add(value, "secret"),
      stderr: (chunk) => log.add(chunk),
      started: (incarnation, pid) => {
        if (pid !== undefined) {
          pids.set(incarnation, pid);
          host?.adopt(pid);
          const startTime = startTimeOf(pid);
          if (startTime !== undefined) journal.append({ kind: "adapter", pid, startTime });
        }
        recorder?.note("adapter-started", "harness", { incarnation });
      },
      ended: (incarnation, expected) => {
        const pid = pids.get(incarnation);
        if (pid !== undefined) host?.dismiss(pid);
        recorder?.note("adapter-ended", "harness", { incarnation, expected });
      },
    },
  );

  let description: Description;
  let environment: Environment;
  try {
    description = await openDescription(session, request.options, { log, known, stop: run.stop.signal });
    environment = environmentOf(
      runId,
      request,
      description,
      await adapterSource(request.subject.sources),
      await gitState(packageFolder()),
    );
  } catch (error) {
    await session.close();
    journal.remove();
    throw error;
  }
  const document = stableJson(environment);
  writeFileSync(join(folder.partial, "environment.json"), document);
  const digests = new Digests(randomBytes(KEY_BYTES));
  const history = HistoryWriter.create({
    path: join(folder.partial, "history", "0.ndjson"),
    genesis: genesis({
      runId,
      shard: environment.shard,
      challenge: environment.challenge,
      environmentSha256: createHash("sha256").update(document).digest("hex"),
    }),
    clock,
  });
  const witness = WitnessLog.create({ path: join(folder.partial, "witness.ndjson"), clock });
  host = new HostWitness({
    runId,
    clock,
    record: (source, kind, value) => void witness.append(source, kind, value),
    pseudonym: (kind, value) => digests.pseudonym(kind, value),
    scratch: [folders.state, folders.cache, folders.config],
    localState: description.localState,
  });
  for (const pid of pids.values()) host.adopt(pid);
  // What an adapter starts before it is asked to make anything belongs to it (`npx`, an interpreter), not to a sandbox.
  const excuseHelpers = () => {
    const pid = pids.get(session.incarnation);
    if (pid !== undefined) host?.excuseHelpers(pid);
  };
  excuseHelpers();
  host.start();

  recorder = new Recorder({
    runId,
    description,
    options: request.options,
    session,
    history,
    ownership: new Ownership(runId, description.ownership, {
      append(entry) {
        journal.append(entry);
        if (entry.kind === "attempt") host?.mine(entry.attempt);
      },
    }),
    digests,
    clock,
    waits: effectiveWaits(description.waits),
    interrupt: run.stop.signal,
    runnerCanaries: [runnerCanary],
    adapterReady: excuseHelpers,
  });
  const wanted = new Set(selectedIds(environment));
  const scenarios = SCENARIOS.filter((scenario) => scenario.feeds.some((id) => wanted.has(id)));
  run.announce(environment, scenarios.length);
  const executed = await execute({
    recorder,
    scenarios,
    host,
    seed: request.seed,
    jobs: request.jobs,
    clock,
    budget: request.budget,
    progress: {
      started: (...of) => run.progress.started(...of),
      finished: (scenario, outcome, reason) =>
        run.progress.finished(scenario, outcome, reason === undefined ? undefined : known.redact(reason)),
    },
  });
  const leftOnHost = host.left().map(({ kind, description: what }) => known.redact(`${kind}: ${what}`));
  host.stop();
  recorder.note("figure", "harness", { name: "journal-fsync", value: journal.fsyncNs, unit: "ns" });
  recorder.close();
  witness.close();
  const interrupted = run.stop.signal.aborted;
  // Without its end event a history is truncated by definition: an interrupted run is a prefix.
  if (!interrupted) history.end();
  journal.append({ kind: "closed", left: executed.left });
  journal.close();
  return {
    ...executed,
    environment,
    known,
    interrupted,
    adapterLog: log.text(),
    leftOnHost,
    forget: () => journal.remove(),
  };
}

function openJournal(request: RunRequest, { runId, state }: Conducting): Journal {
  const folder = join(state, "runs", runId);
  const entry: RunEntry = {
    kind: "run",
    runId,
    version: version(),
    provider: request.subject.name,
    adapter: [...request.subject.argv],
    options: { ...request.options },
    passEnv: request.passEnv.map(({ name }) => name),
    harness: thisProcess(),
    folders: adapterFolders(folder),
  };
  try {
    return Journal.create(state, entry);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new UsageError(
      `The state folder ${state} cannot be written (${String(error.code)}).`,
      "Set SANDPROOF_STATE to a folder that you can write to.",
    );
  }
}
