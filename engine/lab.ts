import { type Clock, NS_PER_MS, pause } from "../contract/clock.ts";
import type { Random } from "../contract/random.ts";
import type { EffectiveWaits } from "../contract/waits.ts";
import { newToken } from "../history/tokens.ts";
import type { SandboxId } from "../schemas/core.ts";
import type { Description } from "../schemas/description.ts";
import type { ListItem, Observation, Spec } from "../schemas/messages.ts";
import { CALL_MS, type Completion, type PlantedFault } from "./call-recorder.ts";
import { Abandoned } from "./errors.ts";
import type { Attempt } from "./ownership.ts";
import type { Recorder, Subject } from "./recorder.ts";
import { type At, Sandbox } from "./sandbox.ts";
import type { HostObserver } from "./witness.ts";

/** How often a wait looks again. */
const POLL_MS = 50;
/** Observations that must agree before an end is believed. */
export const AGREEING = 5;

interface CreateOptions {
  readonly spec?: Spec & Record<string, unknown>;
  readonly probe?: string;
  readonly fault?: PlantedFault;
}

/** A scenario's world: it makes sandboxes, asks, waits and plants faults; every touch of the provider is recorded. */
export class Lab {
  readonly description: Description;
  readonly waits: EffectiveWaits;
  readonly host: HostObserver | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Planted in the adapter's environment. The run's id alone would not do: a sandbox may know its own labels. */
  readonly adapterCanary: string;
  readonly runnerCanaries: readonly string[];
  readonly #recorder: Recorder;
  readonly #scenario: string;

  constructor(recorder: Recorder, scenario: string, host: HostObserver | undefined, random: Random) {
    this.random = random;
    this.#recorder = recorder;
    this.#scenario = scenario;
    this.host = host;
    this.description = recorder.parts.description;
    this.waits = recorder.parts.waits;
    this.clock = recorder.parts.clock;
    this.adapterCanary = `SANDPROOF_RUN=${recorder.parts.runId}`;
    this.runnerCanaries = recorder.parts.runnerCanaries;
  }

  /** A running sandbox whose first exec has been tried; abandons the scenario when there is none. */
  async sandbox(options: CreateOptions = {}): Promise<Sandbox> {
    const created = await this.create(options);
    if (created.type !== "ok") throw new Abandoned("create did not succeed", created.message);
    const nonce = newToken();
    const first = await created.value.exec(
      ["sh", "-c", 'printf %s "$0"', nonce],
      {
        expect: { exit: { kind: "exited", code: 0 }, stdout: nonce },
        deadlineMs: Math.max(CALL_MS, this.waits.readyMs),
      },
      { probe: "lifecycle.create-usable/first-exec" },
    );
    if (first.type !== "ok") throw new Abandoned("first exec did not succeed", first.message);
    return created.value;
  }

  /** For an operation that later ones stand on: without its success they would blame the provider for what never happened. */
  async must<T>(operation: Promise<Completion<T>>): Promise<T> {
    const done = await operation;
    if (done.type === "ok") return done.value;
    throw new Abandoned("an operation that others stand on did not succeed", done.message);
  }

  /** One create, however it ends. */
  async create(options: CreateOptions = {}): Promise<Completion<Sandbox> & { readonly attempt: Attempt }> {
    const { spec, ...at } = options;
    const call = this.#recorder.create({ scenario: this.#scenario, ...at }, spec === undefined ? {} : { spec });
    const done = await call;
    const { attempt } = call;
    return done.type === "ok"
      ? { ...done, value: this.#hold(done.value.id, attempt.target), attempt }
      : { ...done, attempt };
  }

  list(filter: "none" | "run" = "none", at: At = {}): Promise<Completion<{ items: ListItem[]; complete: boolean }>> {
    return this.#recorder.list({ scenario: this.#scenario, ...at }, filter);
  }

  /** A handle on what a list showed for an attempt, one for each id. */
  found(attempt: Attempt): Sandbox[] {
    return [...attempt.ids].map((id) => this.#hold(id, attempt.target));
  }

  /** Acts on an id that the harness made up. */
  stranger(id: string): {
    observe(at: At): Promise<Completion<Observation>>;
    execTrue(at: At): Promise<Completion<unknown>>;
  } {
    const subject: Subject = { id: id as SandboxId };
    return {
      observe: (at) => this.#recorder.observe({ scenario: this.#scenario, ...at }, subject),
      execTrue: (at) =>
        this.#recorder.exec({ scenario: this.#scenario, ...at }, subject, { command: { argv: ["true"] } }),
    };
  }

  killAdapter(): Promise<void> {
    return this.#recorder.killAdapter(this.#scenario);
  }

  /**
   * Starts a process that lives on in the background and bears a fresh token in its arguments; the host table, where there is
   * one, must see it.
   */
  async plantToken(sandbox: Sandbox): Promise<string> {
    const token = newToken();
    const planted = await sandbox.exec(["sh", "-c", `sh -c 'sleep 3600; :' "$0" >/dev/null 2>&1 </dev/null &`, token], {
      token,
    });
    if (planted.type !== "ok") throw new Abandoned("planting a token did not succeed", planted.message);
    this.host?.token(token, sandbox.target);
    return token;
  }

  /** Polls until the sandbox is seen ended or `endedMs` is over, then looks {@link AGREEING} times more, and lists. */
  async watchTheEnd(sandbox: Sandbox, token?: string): Promise<void> {
    await this.until(this.waits.endedMs, async () => {
      const observed = hasEnded(await sandbox.observe());
      const tokens = token === undefined ? 0 : (this.host?.token(token, sandbox.target) ?? 0);
      const native = this.host?.native(sandbox.target);
      return observed && tokens === 0 && native?.live !== true;
    });
    for (let n = 0; n < AGREEING; n += 1) await sandbox.observe({ probe: "lifecycle.destroy-ends/agree" });
    await this.list();
  }

  /** True when the condition held within `boundMs`. It is asked at least once, and once more at the bound. */
  async until(boundMs: number, holds: () => Promise<boolean>): Promise<boolean> {
    const end = this.clock.now() + boundMs * NS_PER_MS;
    for (;;) {
      const late = this.clock.now() >= end;
      if (await holds()) return true;
      if (late) return false;
      await pause(POLL_MS, this.#recorder.parts.interrupt);
    }
  }

  /** Gives the provider the time that it declares for late effects. */
  async settle(): Promise<void> {
    await pause(this.waits.settleMs, this.#recorder.parts.interrupt);
    this.#recorder.note("settled", this.#scenario, { ms: this.waits.settleMs });
  }

  /** A number that judges may read: typed, named, never text. */
  fact(name: string, number: number): void {
    this.#recorder.note("fact", this.#scenario, { name, number });
  }

  #hold(id: SandboxId, target: string): Sandbox {
    return new Sandbox(this.#recorder, this.#scenario, id, target);
  }
}

/** Terminal, absent or definitely unknown: three words for the same end. */
export const hasEnded = (seen: Completion<Observation>): boolean =>
  seen.type === "ok"
    ? seen.value.state === "terminal" || seen.value.state === "absent"
    : seen.error.code === "not-found";
