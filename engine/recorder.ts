import type { Clock } from "../contract/clock.ts";
import { pause } from "../contract/clock.ts";
import { RUN_LABEL } from "../contract/ownership.ts";
import type { EffectiveWaits } from "../contract/waits.ts";
import type { Digests } from "../history/digests.ts";
import type { HistoryWriter } from "../history/writer.ts";
import type { Exit, RunId, SandboxId } from "../schemas/core.ts";
import type { Description } from "../schemas/description.ts";
import type { AdapterFault, EventError, InvokeValue, Made, NoteKind, NoteValue, OkValue } from "../schemas/event.ts";
import type { Command, FileStat, ListItem, Method, Observation, Result, Spec } from "../schemas/messages.ts";
import type { CallOptions, Channel, Outcome, Pending } from "../wire/channel.ts";
import { Capture } from "./capture.ts";
import { complete, type Ending } from "./completion.ts";
import { Interrupted } from "./errors.ts";
import type { Attempt, Ownership, Role } from "./ownership.ts";
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
}

/** A thing to act on: one of ours by its target name, or a bare id that the harness made up. */
export interface Subject {
  readonly id: SandboxId;
  readonly target?: string;
}

export interface Expectation {
  readonly exit?: Exit;
  readonly stdout?: string | Uint8Array;
  readonly stderr?: string | Uint8Array;
}

export interface ExecRequest {
  readonly command: Command;
  readonly stdin?: Uint8Array;
  readonly token?: string;
  readonly canaries?: readonly string[];
  readonly expect?: Expectation;
}

export interface ExecOutput {
  readonly exit: Exit;
  readonly stdout: string;
  readonly stderr: string;
}

const seconds = (n: number): number => n * 1000;
/** Bound of a call whose length no declared wait says. */
const CALL_MS = seconds(30);
const TRANSFER_MS = seconds(120);

interface Ask<M extends Method, V, T> {
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

/** The only way to the port. Every call is journalled where it makes or removes, recorded before it is sent, and completed once. */
export class Recorder {
  readonly parts: RecorderParts;
  readonly #processes = new Processes();
  /** Calls of the current adapter process, to say in which of them it broke the port. */
  readonly #calls = new Map<number, number>();
  #ready: Promise<void> | undefined;
  #protected = false;
  #closed = false;

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
    this.parts.history.append({ type: "note", f: kind, process: 0, scenario, ...at, value });
  }

  check(where: Where): Promise<Completion<Result<"check">>> {
    return this.#ask({
      method: "check",
      params: {},
      invoke: {},
      where,
      deadlineMs: CALL_MS,
      ok: (result) => ({ recorded: { ready: result.ready, problems: result.problems.length }, value: result }),
    });
  }

  /** `extra` are spec members beside the ownership mark; unknown ones are sent as they are, to be refused. */
  create(
    where: Where,
    options: { role?: Role; spec?: Spec & Record<string, unknown>; deadlineMs?: number } = {},
  ): Promise<Completion<Subject>> & {
    readonly attempt: Attempt;
  } {
    const { ownership, digests, waits } = this.parts;
    const { attempt, mark } = ownership.register("create", options.role ?? "subject");
    const spec = {
      ...options.spec,
      ...mark,
      ...(mark.labels === undefined ? {} : { labels: { ...options.spec?.labels, ...mark.labels } }),
    };
    const invoke: InvokeValue<"create"> = {
      attempt: attempt.token,
      members: Object.keys(spec).map(memberName),
      ...(spec.labels === undefined ? {} : { labels: digests.made(digests.canonical(spec.labels)) }),
      ...(spec.env === undefined ? {} : { env: digests.made(digests.canonical(spec.env)) }),
    };
    const register = (result: Result<"create">) => ownership.made(attempt, result.id);
    const completion = this.#ask<"create", OkValue<"create">, Subject>({
      method: "create",
      params: { spec, attempt: attempt.token },
      invoke,
      where,
      target: attempt.target,
      deadlineMs: options.deadlineMs ?? waits.createMs,
      ok: (result) => {
        register(result);
        return { recorded: { id: this.#pseudonym(result.id) }, value: { id: result.id, target: attempt.target } };
      },
      late: (outcome) => {
        if (outcome.kind === "ok") register(outcome.result);
      },
    });
    return Object.assign(completion, { attempt });
  }

  observe(where: Where, subject: Subject): Promise<Completion<Observation>> {
    return this.#ask({
      method: "observe",
      params: { id: subject.id },
      invoke: {},
      where,
      target: subject.target,
      deadlineMs: CALL_MS,
      ok: (result) => ({
        recorded: {
          state: result.state,
          ...(result.labels === undefined
            ? {}
            : { labels: this.parts.digests.seenOf(this.parts.digests.canonical(result.labels)) }),
        },
        value: result,
      }),
    });
  }

  list(
    where: Where,
    filter: "none" | "run" = "none",
    pageSize?: number,
  ): Promise<Completion<{ items: ListItem[]; complete: boolean }>> {
    const { ownership, runId } = this.parts;
    const paged = pageSize === undefined ? {} : { pageSize };
    return this.#ask({
      method: "list",
      params: { ...(filter === "run" ? { labels: { [RUN_LABEL]: runId } } : {}), ...paged },
      invoke: { filter, ...paged },
      where,
      deadlineMs: CALL_MS,
      ok: (result) => {
        const known = result.items.map((item) => ({ item, ...ownership.recognise(item) }));
        const items = known
          .filter(({ owner, bearsRun }) => owner !== undefined || bearsRun)
          .map(({ item, owner, marked, bearsRun }) => ({
            id: this.#pseudonym(item.id),
            bearsRun,
            state: item.state,
            ...(owner === undefined ? {} : { target: owner.target }),
            ...(marked === undefined ? {} : { attempt: marked.token }),
          }));
        const recorded: OkValue<"list"> = {
          complete: result.complete,
          items,
          others: result.items.length - items.length,
        };
        return { recorded, value: result };
      },
    });
  }

  exec(where: Where, subject: Subject, request: ExecRequest): Promise<Completion<ExecOutput>> {
    const { digests, waits } = this.parts;
    const { command, stdin, expect } = request;
    const stdout = new Capture(digests, request.canaries);
    const stderr = new Capture(digests);
    const end = once(() => ({ stdout: stdout.end(), stderr: stderr.end() }));
    const invoke: InvokeValue<"exec"> = {
      form: "argv" in command ? "argv" : "script",
      content: digests.made("argv" in command ? JSON.stringify(command.argv) : command.script),
      members: Object.keys(command).map(memberName),
      ...(command.timeoutMs === undefined ? {} : { timeoutMs: command.timeoutMs }),
      ...(stdin === undefined ? {} : { stdin: digests.made(stdin) }),
      ...(request.token === undefined ? {} : { token: request.token as InvokeValue<"exec">["token"] & string }),
      ...(request.canaries === undefined ? {} : { canaries: request.canaries.length }),
      ...(expect === undefined ? {} : { expect: this.#expectation(expect) }),
    };
    return this.#ask({
      method: "exec",
      params: { id: subject.id, command: stdin === undefined ? command : { ...command, stdin: true } },
      invoke,
      where,
      target: subject.target,
      deadlineMs: command.timeoutMs === undefined ? CALL_MS : command.timeoutMs + waits.execGraceMs,
      options: {
        onOutput: (stream, chunk) => (stream === "stderr" ? stderr : stdout).add(chunk),
        ...(stdin === undefined ? {} : { input: chunks(stdin) }),
      },
      ok: (result) => ({
        recorded: { exit: result.exit, ...end() },
        value: { exit: result.exit, stdout: stdout.text(), stderr: stderr.text() },
      }),
      partial: end,
    });
  }

  /** `absent` when the provider no longer knew it. */
  destroy(where: Where, subject: Subject): Promise<Completion<{ absent: boolean }>> {
    const { ownership, waits } = this.parts;
    ownership.removing(subject.id);
    return this.#ask({
      method: "destroy",
      params: { id: subject.id },
      invoke: {},
      where,
      target: subject.target,
      deadlineMs: waits.destroyMs,
      ok: (_result, absent) => ({ recorded: absent ? { absent: true as const } : {}, value: { absent } }),
    });
  }

  write(where: Where, subject: Subject, path: string, content: Uint8Array): Promise<Completion<{ bytes: number }>> {
    const { digests } = this.parts;
    return this.#ask({
      method: "files.write",
      params: { id: subject.id, path },
      invoke: { path: digests.made(path), content: digests.made(content) },
      where,
      target: subject.target,
      deadlineMs: TRANSFER_MS,
      options: { input: chunks(content) },
      ok: (result) => ({ recorded: { bytes: result.bytes }, value: result }),
    });
  }

  read(
    where: Where,
    subject: Subject,
    path: string,
    expect?: Uint8Array,
  ): Promise<Completion<{ bytes: number; text: string }>> {
    const { digests } = this.parts;
    const content = new Capture(digests);
    return this.#ask({
      method: "files.read",
      params: { id: subject.id, path },
      invoke: { path: digests.made(path), ...(expect === undefined ? {} : { expect: digests.made(expect) }) },
      where,
      target: subject.target,
      deadlineMs: TRANSFER_MS,
      options: { onOutput: (_stream, chunk) => content.add(chunk) },
      ok: (result) => ({
        recorded: { bytes: result.bytes, content: content.end() },
        value: { bytes: result.bytes, text: content.text() },
      }),
    });
  }

  stat(where: Where, subject: Subject, path: string): Promise<Completion<FileStat>> {
    return this.#ask({
      method: "files.stat",
      params: { id: subject.id, path },
      invoke: { path: this.parts.digests.made(path) },
      where,
      target: subject.target,
      deadlineMs: CALL_MS,
      ok: (result) => ({ recorded: { kind: result.kind, size: result.size, mode: result.mode }, value: result }),
    });
  }

  /** SIGKILL to the adapter process; the next call starts a fresh one. */
  async killAdapter(scenario: string): Promise<void> {
    this.note("adapter-killed", scenario, { incarnation: this.parts.session.incarnation });
    this.#ready = undefined;
    await this.parts.session.kill();
  }

  #expectation(expect: Expectation): { exit?: Exit; stdout?: Made; stderr?: Made } {
    const { digests } = this.parts;
    return {
      ...(expect.exit === undefined ? {} : { exit: expect.exit }),
      ...(expect.stdout === undefined ? {} : { stdout: digests.made(expect.stdout) }),
      ...(expect.stderr === undefined ? {} : { stderr: digests.made(expect.stderr) }),
    };
  }

  #pseudonym(id: SandboxId) {
    return this.parts.digests.pseudonym("sandbox", id);
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

  async #ask<M extends Method, V, T>(ask: Ask<M, V, T>): Promise<Completion<T>> {
    if (this.parts.interrupt.aborted && !this.#protected) throw new Interrupted();
    return this.#on(await this.#channel(), ask);
  }

  async #on<M extends Method, V, T>(channel: Channel, ask: Ask<M, V, T>): Promise<Completion<T>> {
    const { history, clock, waits } = this.parts;
    const { where } = ask;
    const process = this.#processes.take();
    const place = {
      process,
      scenario: where.scenario,
      f: ask.method,
      ...(ask.target === undefined ? {} : { target: ask.target }),
    };
    const invoke = history.append({
      type: "invoke",
      ...place,
      ...(where.probe === undefined ? {} : { probe: where.probe }),
      value: ask.invoke,
    });
    const pending = channel.call(ask.method, ask.params, {
      deadlineMs: ask.deadlineMs,
      graceMs: waits.cancelMs,
      ...ask.options,
    });
    this.#calls.set(pending.call, invoke.i);
    const ending = await this.#end(pending, invoke.i, where, ask.late);
    const t = clock.now();
    const sent = await pending.sent;
    const completed = complete(ask.method, ending);
    if (ending.kind === "deadline") this.#expectLate(pending, invoke.i, ask);
    const done = { ...place, of: invoke.i, sent };
    if (completed.type === "ok") {
      const result = ending.kind === "ok" ? (ending.result as Result<M>) : ({} as Result<M>);
      const { recorded, value } = ask.ok(result, "absent" in completed);
      history.append({ type: "ok", ...done, value: recorded }, t);
      this.#processes.release(process);
      return { type: "ok", value, event: invoke.i };
    }
    const partial = ask.partial?.();
    history.append(
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
    return { type: completed.type, error: completed.error, message, event: invoke.i };
  }

  /** Waits for the end of a call, planting its fault and giving way to an interrupt. */
  async #end<M extends Method>(
    pending: Pending<M>,
    of: number,
    where: Where,
    late: ((outcome: Outcome<M>) => void) | undefined,
  ): Promise<Ending> {
    const { fault } = where;
    const stop = () => pending.cancel();
    if (!this.#protected) this.parts.interrupt.addEventListener("abort", stop, { once: true });
    try {
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
      const outcome = await pending.outcome;
      if (fault?.kind !== "drop-reply" || outcome.kind !== "ok") return outcome;
      late?.(outcome);
      this.note("fault-injected", where.scenario, { fault: "reply-dropped" }, { of });
      return { kind: "dropped" };
    } finally {
      this.parts.interrupt.removeEventListener("abort", stop);
    }
  }

  #expectLate<M extends Method, V, T>(pending: Pending<M>, of: number, ask: Ask<M, V, T>): void {
    void pending.late.then((outcome) => {
      ask.late?.(outcome);
      if (this.#closed) return;
      this.note("late-reply", ask.where.scenario, { answer: outcome.kind === "ok" ? "ok" : "error" }, { of });
    });
  }
}

/** Names of members are ours or invented by us; only their shape may be published. */
const memberName = (name: string): string => (name.startsWith("x-sandproof-invented") ? "invented" : name);

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** At most 64 KiB a notification (contract §5). */
const CHUNK_BYTES = 64 * 1024;

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}
