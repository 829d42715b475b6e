import { type Clock, pause } from "../contract/clock.ts";
import type { EffectiveWaits } from "../contract/waits.ts";
import type { Digests } from "../history/digests.ts";
import type { HistoryWriter } from "../history/writer.ts";
import type { RunId } from "../schemas/core.ts";
import type { Description } from "../schemas/description.ts";
import type { AdapterFault, EventDraft, EventError, NoteKind, NoteValue, OkValue } from "../schemas/event.ts";
import type { Method, Result } from "../schemas/messages.ts";
import type { CallOptions, Channel, Outcome, Pending } from "../wire/channel.ts";
import { complete, type Ending } from "./completion.ts";
import { Interrupted, RecordLost } from "./errors.ts";
import type { Ownership } from "./ownership.ts";
import { Processes } from "./processes.ts";
import type { AdapterSession } from "./session.ts";

/** How a call went, for the scenario that made it. `event` is the index of its `invoke`. */
export type Completion<T> =
  | { readonly type: "ok"; readonly value: T; readonly event: number }
  | { readonly type: "fail" | "info"; readonly error: EventError; readonly message: string; readonly event: number };

/** A fault that the harness plants into one call. */
export type PlantedFault =
  | { readonly kind: "drop-reply" }
  | { readonly kind: "cancel"; readonly afterMs: number }
  | { readonly kind: "kill-adapter"; readonly afterMs: number };

export interface Where {
  readonly scenario: string;
  readonly probe?: string;
  readonly fault?: PlantedFault;
  /** Milliseconds that are left to whoever asks; a call's own bound may be shorter. */
  readonly deadlineMs?: number;
}

const NOT_WRITTEN = -1;

/** Bound of a call whose length no declared wait says. */
export const CALL_MS = 30_000;

export interface Ask<M extends Method, V, T> {
  readonly method: M;
  readonly params: object;
  readonly invoke: unknown;
  readonly where: Where;
  readonly target?: string | undefined;
  readonly deadlineMs: number;
  readonly options?: Pick<CallOptions, "onOutput" | "input">;
  /** The event's value and the scenario's value of a success. */
  readonly ok: (result: Result<M>, absent: boolean) => { readonly recorded: V; readonly value: T };
  /** What had been seen when it did not succeed. */
  readonly partial?: () => { readonly stdout: OkValue<"exec">["stdout"]; readonly stderr: OkValue<"exec">["stderr"] };
  readonly late?: (outcome: Outcome<M>) => void;
}

export interface RecorderParts {
  readonly runId: RunId;
  readonly description: Description;
  readonly options: Readonly<Record<string, string>>;
  readonly session: AdapterSession;
  readonly history: HistoryWriter;
  readonly ownership: Ownership;
  readonly digests: Digests;
  readonly clock: Clock;
  readonly waits: EffectiveWaits;
  readonly interrupt: AbortSignal;
  /** Values planted in the runner's own environment: none may be seen inside a sandbox. */
  readonly runnerCanaries: readonly string[];
  /** A fresh adapter process has described itself. */
  adapterReady(): void;
}

/** One recorded call: invoked before it is sent, completed once, whatever becomes of the adapter. */
export class CallRecorder {
  readonly parts: RecorderParts;
  readonly #processes = new Processes();
  /** Calls of the current adapter process, to say in which of them it broke the port. */
  readonly #calls = new Map<number, number>();
  #ready: Promise<void> | undefined;
  #protected = false;
  #closed = false;
  #lost: { readonly cause: unknown } | undefined;

  constructor(parts: RecorderParts) {
    this.parts = parts;
  }

  /** From here on an interrupt no longer stops calls: the tidying up has its own bounds. */
  beginTeardown(): void {
    this.#protected = true;
  }

  /** Attempts so far: each may have made a sandbox. */
  get made(): number {
    return this.parts.ownership.attempts().length;
  }

  async closeAdapter(): Promise<void> {
    this.#ready = undefined;
    await this.parts.session.close();
  }

  /** No event is written from here on, late replies included. */
  close(): void {
    this.#closed = true;
  }

  adapterFault(fault: AdapterFault, call: number | undefined): void {
    if (this.#closed) return;
    const of = call === undefined ? undefined : this.#calls.get(call);
    this.note("adapter-fault", "harness", { fault }, of === undefined ? {} : { of });
  }

  note<K extends NoteKind>(
    kind: K,
    scenario: string,
    value: NoteValue<K>,
    at: { of?: number; target?: string } = {},
  ): void {
    this.#append({ type: "note", f: kind, process: 0, scenario, ...at, value });
  }

  /** Why no event can be written any more: the disk's word, never the provider's. */
  get lost(): unknown {
    return this.#lost?.cause;
  }

  /** Index of the event. Once one could not be written none is: what follows is tidying up, unrecorded. */
  #append(draft: EventDraft, at?: number): number {
    if (this.#lost === undefined) {
      try {
        return this.parts.history.append(draft, at).i;
      } catch (cause) {
        this.#lost = { cause };
      }
    }
    return NOT_WRITTEN;
  }

  /** SIGKILL to the adapter process; the next call starts a fresh one. */
  async killAdapter(scenario: string): Promise<void> {
    this.note("adapter-killed", scenario, { incarnation: this.parts.session.incarnation });
    this.#ready = undefined;
    await this.parts.session.kill();
  }

  /** The adapter that answers now; a fresh process is described to before anything else is asked of it. */
  async #channel(): Promise<Channel> {
    const { session, options, digests } = this.parts;
    const { channel, fresh } = session.channel();
    if (fresh) {
      this.#calls.clear();
      this.#ready = this.#on(channel, {
        method: "describe",
        params: { contract: 1, options },
        invoke: {},
        where: { scenario: "harness" },
        deadlineMs: CALL_MS,
        ok: (result) => ({ recorded: { description: digests.seenOf(JSON.stringify(result)) }, value: undefined }),
      }).then(() => this.parts.adapterReady());
    }
    await this.#ready;
    return channel;
  }

  protected async ask<M extends Method, V, T>(ask: Ask<M, V, T>): Promise<Completion<T>> {
    if (!this.#protected && this.parts.interrupt.aborted) throw new Interrupted();
    if (!this.#protected && this.#lost !== undefined) throw new RecordLost(this.#lost.cause);
    return this.#on(await this.#channel(), ask);
  }

  async #on<M extends Method, V, T>(channel: Channel, ask: Ask<M, V, T>): Promise<Completion<T>> {
    const { clock, waits } = this.parts;
    const { where } = ask;
    const process = this.#processes.take();
    const place = {
      process,
      scenario: where.scenario,
      f: ask.method,
      ...(ask.target === undefined ? {} : { target: ask.target }),
    };
    const invoke = this.#append({
      type: "invoke",
      ...place,
      ...(where.probe === undefined ? {} : { probe: where.probe }),
      value: ask.invoke,
    });
    const pending = channel.call(ask.method, ask.params, {
      deadlineMs: Math.min(ask.deadlineMs, where.deadlineMs ?? Number.POSITIVE_INFINITY),
      graceMs: waits.cancelMs,
      ...ask.options,
    });
    this.#calls.set(pending.call, invoke);
    const ending = await this.#end(pending, invoke, where, ask.late);
    const sent = await pending.sent;
    const t = clock.now();
    const completed = complete(ask.method, ending);
    if (ending.kind === "deadline") void this.#expectLate(pending, invoke, ask);
    const done = { ...place, of: invoke, sent };
    if (completed.type === "ok") {
      const result = ending.kind === "ok" ? (ending.result as Result<M>) : ({} as Result<M>);
      const { recorded, value } = ask.ok(result, "absent" in completed);
      this.#append({ type: "ok", ...done, value: recorded }, t);
      this.#processes.release(process);
      return { type: "ok", value, event: invoke };
    }
    const partial = ask.partial?.();
    this.#append(
      { type: completed.type, ...done, error: completed.error, ...(partial === undefined ? {} : { value: partial }) },
      t,
    );
    if (completed.type === "fail") this.#processes.release(process);
    const message =
      ending.kind === "error"
        ? ending.error.message
        : ending.kind === "malformed"
          ? ending.problem
          : completed.error.code;
    return { type: completed.type, error: completed.error, message, event: invoke };
  }

  /** Waits for the end of a call, planting its fault and giving way to an interrupt. */
  async #end<M extends Method>(
    pending: Pending<M>,
    of: number,
    where: Where,
    late: Ask<M, unknown, unknown>["late"],
  ): Promise<Ending> {
    const { fault } = where;
    if (fault !== undefined && fault.kind !== "drop-reply") {
      const ended = await Promise.race([pending.outcome, pause(fault.afterMs).then(() => undefined)]);
      if (ended !== undefined) return ended;
      this.note(
        "fault-injected",
        where.scenario,
        { fault: fault.kind === "cancel" ? "cancelled" : "adapter-killed" },
        { of },
      );
      if (fault.kind === "cancel") pending.cancel();
      else await this.killAdapter(where.scenario);
    }
    const outcome = await this.#untilInterrupted(pending);
    if (fault?.kind !== "drop-reply" || outcome.kind !== "ok") return outcome;
    late?.(outcome);
    this.note("fault-injected", where.scenario, { fault: "reply-dropped" }, { of });
    return { kind: "dropped" };
  }

  /** An interrupt cancels the call; an adapter that does not answer that within `cancelMs` is not waited for. */
  async #untilInterrupted<M extends Method>(pending: Pending<M>): Promise<Outcome<M>> {
    const { interrupt, waits } = this.parts;
    if (this.#protected) return pending.outcome;
    const { promise: interrupted, resolve } = Promise.withResolvers<void>();
    const onAbort = () => resolve();
    interrupt.addEventListener("abort", onAbort, { once: true });
    const first = await Promise.race([pending.outcome, interrupted]);
    interrupt.removeEventListener("abort", onAbort);
    if (first !== undefined) return first;
    pending.cancel();
    return Promise.race([pending.outcome, pause(waits.cancelMs).then((): Outcome<M> => ({ kind: "deadline" }))]);
  }

  /** The reply to a call that was given up: what it made is registered, and it is noted that it came. */
  async #expectLate<M extends Method, V, T>(pending: Pending<M>, of: number, ask: Ask<M, V, T>): Promise<void> {
    const outcome = await Promise.race([
      pending.late,
      pending.outcome.then((early) => (early.kind === "deadline" ? pending.late : early)),
    ]);
    if (outcome.kind !== "ok" && outcome.kind !== "error") return;
    ask.late?.(outcome);
    if (!this.#closed) this.note("late-reply", ask.where.scenario, { answer: outcome.kind }, { of });
  }
}
