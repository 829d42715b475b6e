/** One run from the request to its facts on disk: state, adapter, witness, engine. Judging and reports come after. */
import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { selectedIds } from "../analysis/selection.ts";
import { type Clock, startClock } from "../contract/clock.ts";
import { effectiveWaits } from "../contract/waits.ts";
import { type Executed, execute, type Progress } from "../engine/execute.ts";
import { Ownership } from "../engine/ownership.ts";
import { Recorder } from "../engine/recorder.ts";
import { applies } from "../engine/scenario.ts";
import { type AdapterFolders, adapterFolders } from "../engine/session.ts";
import { ENVIRONMENT, historyOf, WITNESS_LOG } from "../evidence/files.ts";
import { GateError } from "../evidence/gate-error.ts";
import { stableJson } from "../evidence/json.ts";
import { genesis } from "../history/chain.ts";
import { Digests } from "../history/digests.ts";
import { Journal, type RunEntry } from "../history/journal.ts";
import { thisProcess } from "../history/liveness.ts";
import { newToken } from "../history/tokens.ts";
import { WitnessLog } from "../history/witness-log.ts";
import { HistoryWriter } from "../history/writer.ts";
import { scanForPublication } from "../redaction/gate.ts";
import { KnownValues } from "../redaction/known-values.ts";
import type { RunId } from "../schemas/core.ts";
import type { Description } from "../schemas/description.ts";
import type { Environment } from "../schemas/documents.ts";
import { SCENARIOS } from "../suites/catalogue.ts";
import { HostWitness } from "../witness/host-witness.ts";
import { adapterSource } from "./adapter-files.ts";
import { AdapterProcesses } from "./adapter-processes.ts";
import { openDescription } from "./describe.ts";
import { environmentOf } from "./environment.ts";
import { gitState } from "./git-state.ts";
import type { OutFolder } from "./out-folder.ts";
import { packageFolder, version } from "./package.ts";
import type { RunRequest } from "./request.ts";
import type { Stop } from "./signals.ts";
import { UsageError } from "./usage.ts";

/** Bits of the key under which foreign content is digested; it is never written anywhere. */
const KEY_BYTES = 32;
/** A variable of the runner's own that no adapter and no sandbox may see. */
const RUNNER_CANARY = "SANDPROOF_RUNNER_CANARY";

export interface Conducted extends Executed {
  readonly environment: Environment;
  readonly known: KnownValues;
  readonly interrupted: boolean;
  /** Why the record could not be written to its end, when that is so. */
  readonly lost: unknown;
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
  const known = new KnownValues();
  for (const { value, secret } of request.passEnv) if (secret) known.add(value, "secret");
  const journal = openJournal(request, run);
  const folders = adapterFolders(journal.folder);
  const clock = startClock();
  const adapters = new AdapterProcesses({
    runId: run.runId,
    argv: request.subject.argv,
    passed: {
      ...runtimeOf(request, folders),
      ...Object.fromEntries(request.passEnv.map(({ name, value }) => [name, value])),
    },
    folders,
    journal,
    known,
    clock,
  });
  try {
    const described = await describeRun(request, run, adapters, known).catch((error: unknown) => {
      // Nothing was made yet: nothing needs a journal.
      return adapters.session.close().then(() => {
        journal.remove();
        throw error;
      });
    });
    return await record(request, run, { ...described, known, journal, folders, clock, adapters });
  } finally {
    await adapters.session.close();
  }
}

/** Node keeps compiled code in TMPDIR when a launcher such as npx asks for it: that would look like something the adapter left. */
const runtimeOf = ({ subject }: RunRequest, { scratch }: AdapterFolders): Record<string, string> =>
  subject.kind === "program" ? { NODE_COMPILE_CACHE: join(scratch, "compile-cache") } : {};

interface Described {
  readonly description: Description;
  readonly environment: Environment;
  /** Bytes of `environment.json`. */
  readonly document: string;
}

/** The first word of the adapter, and the document that is complete before the first event. */
async function describeRun(
  request: RunRequest,
  { runId, stop, folder }: Conducting,
  { session, log }: AdapterProcesses,
  known: KnownValues,
): Promise<Described> {
  const description = await openDescription(session, request.options, { log, known, stop: stop.signal });
  const source = await adapterSource(request.subject.sources);
  const environment = environmentOf(runId, request, description, source, await gitState(packageFolder()));
  const document = stableJson(environment);
  // What could never be published is refused before anything is made.
  const hits = scanForPublication([{ path: ENVIRONMENT, bytes: Buffer.from(document) }], known);
  if (hits.length > 0) throw new GateError(hits);
  writeFileSync(join(folder.partial, ENVIRONMENT), document);
  return { description, environment, document };
}

interface Recording extends Described {
  readonly known: KnownValues;
  readonly journal: Journal;
  readonly folders: AdapterFolders;
  readonly clock: Clock;
  readonly adapters: AdapterProcesses;
}

/** Opens the two records, sets the witness beside them, and lets the engine run. */
async function record(request: RunRequest, run: Conducting, parts: Recording): Promise<Conducted> {
  const { description, environment, known, journal, folders, clock, adapters } = parts;
  const digests = new Digests(randomBytes(KEY_BYTES));
  const history = HistoryWriter.create({
    path: join(run.folder.partial, historyOf(environment.shard)),
    genesis: genesis({
      runId: run.runId,
      shard: environment.shard,
      challenge: environment.challenge,
      environmentSha256: createHash("sha256").update(parts.document).digest("hex"),
    }),
    clock,
  });
  const witness = WitnessLog.create({ path: join(run.folder.partial, WITNESS_LOG), clock });
  let lostWitness: unknown;
  const host = new HostWitness({
    runId: run.runId,
    clock,
    record: (source, kind, value) => {
      if (lostWitness !== undefined) return;
      try {
        witness.append(source, kind, value);
      } catch (cause) {
        lostWitness = cause;
      }
    },
    pseudonym: (kind, value) => digests.pseudonym(kind, value),
    scratch: [folders.state, folders.cache, folders.config],
    localState: description.localState,
  });
  adapters.watchedBy(host);
  host.start();
  const runnerCanary = `runner-canary-${newToken()}`;
  process.env[RUNNER_CANARY] = runnerCanary;
  const recorder = new Recorder({
    runId: run.runId,
    description,
    options: request.options,
    session: adapters.session,
    history,
    ownership: new Ownership(run.runId, description.ownership, {
      append(entry) {
        journal.append(entry);
        if (entry.kind === "attempt") host.mine(entry.attempt);
      },
    }),
    digests,
    clock,
    waits: effectiveWaits(description.waits),
    interrupt: run.stop.signal,
    runnerCanaries: [runnerCanary],
    adapterReady: () => adapters.excuseHelpers(),
  });
  adapters.recordedBy(recorder);
  const wanted = new Set(selectedIds(environment));
  const scenarios = SCENARIOS.filter(
    (scenario) => applies(scenario, description) && scenario.feeds.some((id) => wanted.has(id)),
  );
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
  let lost = recorder.lost ?? lostWitness;
  // Without its end event a history is truncated by definition: an interrupted run is a prefix.
  if (!interrupted && lost === undefined) {
    try {
      history.end();
    } catch (cause) {
      lost = cause;
    }
  }
  journal.append({ kind: "closed", left: executed.left });
  journal.close();
  return {
    ...executed,
    environment,
    known,
    interrupted,
    lost,
    adapterLog: adapters.log.text(),
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
