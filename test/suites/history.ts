/** Hand-made histories: a call a line, times that advance by themselves, in the shapes that the recorder writes. */
import { evidenceOf } from "../../analysis/judge.ts";
import { NS_PER_MS } from "../../contract/clock.ts";
import { Digests } from "../../history/digests.ts";
import { viewHistory } from "../../history/view.ts";
import type { ErrorCode, Exit, SandboxState, Token } from "../../schemas/core.ts";
import type { Environment, HostPlane, WitnessRecord } from "../../schemas/documents.ts";
import type { EventError, HistoryEvent, NoteKind, NoteValue, Seen } from "../../schemas/event.ts";
import { CHECKS, SCENARIOS } from "../../suites/catalogue.ts";
import type { Evidence, Judgement } from "../../suites/check.ts";
import { HOST_PLANES } from "../../suites/planes.ts";
import { environmentOf } from "../evidence/build-run.ts";

export const digests = new Digests(new Uint8Array(32).fill(7));
const PREV = "0".repeat(64);

/** How a call ends other than well. */
export interface Ill {
  readonly type: "fail" | "info";
  readonly error: EventError;
}

/** The provider says no: certainly without effect. */
export const refused = (code: ErrorCode): Ill => ({
  type: "fail",
  error: { code, definite: true, refused: code === "unsupported", origin: "reply" },
});
/** The provider says that something went wrong, and not what. */
export const failed = (code: ErrorCode): Ill => ({
  type: "info",
  error: { code, definite: false, refused: false, origin: "reply" },
});
export const lost = (origin: Exclude<EventError["origin"], "reply">): Ill => ({
  type: "info",
  error: {
    code: origin === "deadline" ? "deadline-exceeded" : "connection-lost",
    definite: false,
    refused: false,
    origin,
  },
});

/** Of every call. */
interface Call {
  readonly scenario?: string;
  readonly probe?: string;
  readonly tookMs?: number;
  readonly ends?: Ill | "never";
}

interface ExecCall extends Call {
  readonly exit?: Exit;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly found?: readonly number[];
  readonly timeoutMs?: number;
  readonly expect?: { readonly exit?: Exit; readonly stdout?: string; readonly stderr?: string };
}

/** One item of a list: a target alone is that sandbox, running, with its mark. */
interface Item {
  readonly target?: string;
  readonly id?: string;
  readonly state?: SandboxState;
  /** Without a mark it is recognised by its id at most. */
  readonly marked?: boolean;
  readonly bearsRun?: boolean;
}

const exitZero: Exit = { kind: "exited", code: 0 };
/** A token that is always the same for a target. */
export const tokenOf = (target: string): Token => digests.pseudonym("x", target).slice(2).padEnd(16, "a") as Token;
const idOf = (name: string) => digests.pseudonym("sandbox", name);

export class History {
  readonly events: HistoryEvent[] = [];
  readonly witness: WitnessRecord[] = [];
  #now = NS_PER_MS;
  #scenario = "lifecycle.whole-life";

  /** What follows belongs to this scenario. */
  in(scenario: string): this {
    this.#scenario = scenario;
    return this;
  }

  wait(ms: number): this {
    this.#now += ms * NS_PER_MS;
    return this;
  }

  create(target: string, { id = target, ...call }: Call & { readonly id?: string } = {}): this {
    return this.#call("create", target, { attempt: tokenOf(target), members: ["labels"] }, { id: idOf(id) }, call);
  }

  exec(target: string | undefined, call: ExecCall = {}): this {
    const { exit = exitZero, stdout = "", stderr = "", found, timeoutMs, expect } = call;
    const seen: Seen = { ...digests.seenOf(stdout), ...(found === undefined ? {} : { found: [...found] }) };
    const output = { stdout: seen, stderr: digests.seenOf(stderr) };
    const asked = {
      form: "argv" as const,
      content: digests.made("argv"),
      members: ["argv"],
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(expect === undefined
        ? {}
        : {
            expect: {
              ...(expect.exit === undefined ? {} : { exit: expect.exit }),
              ...(expect.stdout === undefined ? {} : { stdout: digests.made(expect.stdout) }),
              ...(expect.stderr === undefined ? {} : { stderr: digests.made(expect.stderr) }),
            },
          }),
    };
    return this.#call("exec", target, asked, { exit, ...output }, call, output);
  }

  observe(
    target: string | undefined,
    state: SandboxState = "running",
    call: Call & { readonly labels?: string } = {},
  ): this {
    const { labels = "labels" } = call;
    return this.#call("observe", target, {}, { state, labels: digests.seenOf(labels) }, call);
  }

  /** The same observation some times in a row. */
  observed(times: number, target: string, state: SandboxState): this {
    for (let n = 0; n < times; n += 1) this.observe(target, state);
    return this;
  }

  list(items: readonly (string | Item)[], call: Call & { readonly complete?: boolean } = {}): this {
    const recorded = items
      .map((item) => (typeof item === "string" ? { target: item } : item))
      .map(({ target, id, state = "running", marked = true, bearsRun = marked && target !== "by" }) => ({
        id: idOf(id ?? target ?? "stranger"),
        bearsRun,
        state,
        ...(target === undefined ? {} : { target }),
        ...(marked && target !== undefined ? { attempt: tokenOf(target) } : {}),
      }));
    const answer = { complete: call.complete ?? true, items: recorded, others: 0 };
    return this.#call("list", undefined, { filter: "none" }, answer, call);
  }

  destroy(target: string, call: Call & { readonly absent?: true } = {}): this {
    return this.#call("destroy", target, {}, call.absent === undefined ? {} : { absent: true }, call);
  }

  check(ready: boolean): this {
    return this.#call("check", undefined, {}, { ready, problems: ready ? 0 : 1 }, { scenario: "harness" });
  }

  write(
    target: string,
    content: string,
    { bytes = content.length, ...call }: Call & { readonly bytes?: number } = {},
  ): this {
    const asked = { path: digests.made("/file"), content: digests.made(content) };
    return this.#call("files.write", target, asked, { bytes }, call);
  }

  read(
    target: string,
    expected: string | undefined,
    content: string,
    call: Call & { readonly bytes?: number } = {},
  ): this {
    const { bytes = content.length } = call;
    const expect = expected === undefined ? {} : { expect: digests.made(expected) };
    const answer = { bytes, content: digests.seenOf(content) };
    return this.#call("files.read", target, { path: digests.made("/file"), ...expect }, answer, call);
  }

  stat(target: string, call: Call = {}): this {
    return this.#call(
      "files.stat",
      target,
      { path: digests.made("/") },
      { kind: "directory", size: 0, mode: 493 },
      call,
    );
  }

  note<K extends NoteKind>(kind: K, value: NoteValue<K>, of?: number): this {
    const at = of === undefined ? {} : { of };
    this.#append({ type: "note", f: kind, process: 0, scenario: this.#scenario, value, ...at });
    return this;
  }

  /** Plants a fault into the call that was made last; call it after that call. */
  struck(fault: NoteValue<"fault-injected">["fault"]): this {
    const of = this.events.findLast((event) => event.type === "invoke")?.i ?? 0;
    return this.note("fault-injected", { fault }, of);
  }

  killed(): this {
    return this.note("adapter-killed", { incarnation: 1 });
  }

  /** These scenarios ended so; without names all of them, completed. */
  ended(outcome: NoteValue<"scenario-ended">["outcome"] = "completed", ...scenarios: readonly string[]): this {
    const ids = scenarios.length > 0 ? scenarios : SCENARIOS.map(({ id }) => id);
    for (const id of ids) this.in(id).note("scenario-ended", { outcome });
    return this;
  }

  teardown(left = 0): this {
    return this.in("harness").note("teardown", { attempts: 1, ended: 1, left });
  }

  token(target: string, alive: number): this {
    this.#record({ kind: "token", value: { token: tokenOf(target), target, alive } });
    return this;
  }

  native(target: string, live: boolean): this {
    this.#record({ kind: "native", value: { target, live, items: live ? 1 : 0 } });
    return this;
  }

  /** Every host plane at a moment; `ours` are names of items, `dark` planes could not be read. */
  frame(
    moment: string,
    ours: Partial<Record<HostPlane, readonly string[]>> = {},
    dark: readonly HostPlane[] = [],
  ): this {
    for (const plane of HOST_PLANES) {
      const items = (ours[plane] ?? []).map((name) => digests.pseudonym("item", name));
      this.#record({
        kind: "plane",
        value: { plane, moment, readable: !dark.includes(plane), ours: items, others: 0 },
      });
    }
    return this;
  }

  end(): this {
    this.#now += NS_PER_MS;
    const i = this.events.length;
    this.events.push({ i, t: this.#now, type: "end", count: i, prev: PREV });
    return this;
  }

  evidence(environment: Partial<Environment> = {}): Evidence {
    return evidenceOf(viewHistory(this.events), this.witness, environmentOf({ waits: WAITS, ...environment }));
  }

  /** What the judge of the check says, whatever became of scenarios. */
  judge(checkId: string, environment: Partial<Environment> = {}): Judgement {
    const check = CHECKS.find(({ id }) => id === checkId);
    if (check === undefined) throw new Error(`no check ${checkId}`);
    return check.judge(this.evidence(environment));
  }

  #call(
    f: string,
    target: string | undefined,
    asked: unknown,
    answer: unknown,
    { scenario = this.#scenario, probe, tookMs = 1, ends }: Call,
    output?: { readonly stdout: Seen; readonly stderr: Seen },
  ): this {
    const place = { process: 0, scenario, f, ...(target === undefined ? {} : { target }) };
    const of = this.#append({
      type: "invoke",
      ...place,
      ...(probe === undefined ? {} : { probe }),
      value: asked,
    });
    const sent = this.#now;
    this.wait(tookMs);
    if (ends === "never") return this;
    const done = { ...place, of, sent };
    if (ends === undefined) this.#append({ type: "ok", ...done, value: answer });
    else this.#append({ ...done, ...ends, ...(output === undefined ? {} : { value: output }) });
    return this;
  }

  #append(draft: object): number {
    this.#now += 1000;
    const i = this.events.length;
    this.events.push({ i, t: this.#now, prev: PREV, ...draft } as HistoryEvent);
    return i;
  }

  #record(record: Pick<WitnessRecord, "kind" | "value">): void {
    this.#now += 1000;
    this.witness.push({ i: this.witness.length, t: this.#now, source: "host", ...record } as WitnessRecord);
  }
}

/** Small and round, so that a history can step over each of them. */
export const WAITS = { readyMs: 1_000, endedMs: 1_000, listStaleMs: 500, settleMs: 200, execGraceMs: 500 };

export const history = (): History => new History();

/** A sandbox that lives, and its destroy, watched to its end. */
export const wholeLife = (target = "s1"): History =>
  history()
    .create(target)
    .wait(600)
    .list([target])
    .observe(target)
    .destroy(target)
    .observed(5, target, "absent")
    .list([]);
