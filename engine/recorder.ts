import { RUN_LABEL } from "../contract/ownership.ts";
import type { Exit, SandboxId } from "../schemas/core.ts";
import type { InvokeValue, Made, OkValue } from "../schemas/event.ts";
import type { Command, FileStat, ListItem, Observation, Result, Spec } from "../schemas/messages.ts";
import { CALL_MS, CallRecorder, type Completion, type Where } from "./call-recorder.ts";
import { Capture } from "./capture.ts";
import type { Attempt, Role } from "./ownership.ts";

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
  /** Milliseconds, where no timeout of the command says it. */
  readonly deadlineMs?: number;
  /** Called once, when the first byte of output arrives. */
  readonly onFirstOutput?: () => void;
}

export interface ExecOutput {
  readonly exit: Exit;
  readonly stdout: string;
  readonly stderr: string;
}

/** Bound of a transfer of the largest file that a scenario sends. */
const TRANSFER_MS = 120_000;

/** The only way to the port: each operation with what of it may be recorded. */
export class Recorder extends CallRecorder {
  check(where: Where): Promise<Completion<Result<"check">>> {
    return this.ask({
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
    const completion = this.ask<"create", OkValue<"create">, Subject>({
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
    return this.ask({
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
    return this.ask({
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
    const begun = once(() => request.onFirstOutput?.());
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
    return this.ask({
      method: "exec",
      params: { id: subject.id, command: stdin === undefined ? command : { ...command, stdin: true } },
      invoke,
      where,
      target: subject.target,
      deadlineMs:
        command.timeoutMs === undefined ? (request.deadlineMs ?? CALL_MS) : command.timeoutMs + waits.execGraceMs,
      options: {
        onOutput: (stream, chunk) => {
          (stream === "stderr" ? stderr : stdout).add(chunk);
          begun();
        },
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
    return this.ask({
      method: "destroy",
      params: { id: subject.id },
      invoke: {},
      where,
      target: subject.target,
      deadlineMs: waits.destroyMs,
      ok: (_result, absent) => {
        ownership.ended(subject.id);
        return { recorded: absent ? { absent: true as const } : {}, value: { absent } };
      },
    });
  }

  write(where: Where, subject: Subject, path: string, content: Uint8Array): Promise<Completion<{ bytes: number }>> {
    const { digests } = this.parts;
    return this.ask({
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
    return this.ask({
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
    return this.ask({
      method: "files.stat",
      params: { id: subject.id, path },
      invoke: { path: this.parts.digests.made(path) },
      where,
      target: subject.target,
      deadlineMs: CALL_MS,
      ok: (result) => ({ recorded: { kind: result.kind, size: result.size, mode: result.mode }, value: result }),
    });
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
