import type { Clock } from "../contract/clock.ts";
import type { Recorder } from "../engine/recorder.ts";
import { type AdapterFolders, AdapterSession, adapterEnvironment } from "../engine/session.ts";
import type { Journal } from "../history/journal.ts";
import { startTimeOf } from "../history/liveness.ts";
import type { KnownValues } from "../redaction/known-values.ts";
import type { RunId } from "../schemas/core.ts";
import { spawnAdapter } from "../wire/process.ts";
import type { HostWitness } from "../witness/host-witness.ts";
import { StderrTail } from "./stderr-tail.ts";

export interface AdapterProcessesParts {
  readonly runId: RunId;
  readonly argv: readonly string[];
  /** Variables passed by name, with their values. */
  readonly passed: Readonly<Record<string, string>>;
  readonly folders: AdapterFolders;
  readonly journal: Journal;
  readonly known: KnownValues;
  readonly clock: Clock;
}

/** The adapter processes of a run: each is journalled when it starts, watched while it runs, and its end is recorded. */
export class AdapterProcesses {
  readonly session: AdapterSession;
  readonly log: StderrTail;
  readonly #pids = new Map<number, number>();
  #host: HostWitness | undefined;
  #recorder: Recorder | undefined;
  /** Ends before there was a history to tell them to. */
  readonly #endedEarly: { readonly incarnation: number; readonly expected: boolean }[] = [];

  constructor({ runId, argv, passed, folders, journal, known, clock }: AdapterProcessesParts) {
    this.log = new StderrTail(known);
    this.session = new AdapterSession(
      (incarnation, events) => {
        const env = adapterEnvironment({ runId, folders, incarnation, passed });
        this.#host?.watch([env["TMPDIR"] ?? "", env["XDG_RUNTIME_DIR"] ?? ""]);
        return spawnAdapter({ argv, env, clock, events });
      },
      {
        fault: (fault, call) => this.#recorder?.adapterFault(fault, call),
        secret: (value) => known.add(value, "secret"),
        stderr: (chunk) => this.log.add(chunk),
        started: (incarnation, pid) => {
          if (pid !== undefined) {
            this.#pids.set(incarnation, pid);
            this.#host?.adopt(pid);
            const startTime = startTimeOf(pid);
            if (startTime !== undefined) journal.append({ kind: "adapter", pid, startTime });
          }
          this.#recorder?.note("adapter-started", "harness", { incarnation });
        },
        ending: () => this.#host?.sample(),
        ended: (incarnation, expected) => {
          const pid = this.#pids.get(incarnation);
          if (pid !== undefined) this.#host?.dismiss(pid);
          if (this.#recorder === undefined) this.#endedEarly.push({ incarnation, expected });
          else this.#recorder.note("adapter-ended", "harness", { incarnation, expected });
        },
      },
    );
  }

  /** From here on the witness knows of them. The process that described itself runs already. */
  watchedBy(host: HostWitness): void {
    this.#host = host;
    for (const pid of this.#pids.values()) host.adopt(pid);
    this.excuseHelpers();
  }

  /** From here on their faults and ends are in the history. */
  recordedBy(recorder: Recorder): void {
    this.#recorder = recorder;
    for (const end of this.#endedEarly.splice(0)) recorder.note("adapter-ended", "harness", end);
  }

  /** What an adapter starts before it is asked to make anything is its own (`npx`, an interpreter), not a sandbox's. */
  excuseHelpers(): void {
    const pid = this.#pids.get(this.session.incarnation);
    if (pid !== undefined) this.#host?.excuseHelpers(pid);
  }
}
