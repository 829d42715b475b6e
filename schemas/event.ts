/** One line of a history: what the harness asked, what came back, what it noticed. Typed fields only, no free text. */
import { type Static, type TSchema, Type } from "typebox";
import {
  Count,
  closed,
  ErrorCode,
  Exit,
  Milliseconds,
  Nanoseconds,
  oneOf,
  Pseudonym,
  SandboxState,
  Sha256,
  Token,
} from "./core.ts";
import type { Method } from "./messages.ts";

const { Optional, Boolean: Flag, Array: List } = Type;

/** Content that the harness made: its plain digest may be published, its HMAC is what a judge compares. */
export const Made = closed({ bytes: Count, sha256: Sha256, hmac: Sha256 });
export type Made = Static<typeof Made>;

/**
 * Content from elsewhere: length and HMAC under a key that dies with the run; `number` where it is just a decimal number;
 * `found` counts, for each canary that the harness looked for, how often it occurs.
 */
export const Seen = closed({
  bytes: Count,
  hmac: Sha256,
  number: Optional(Type.Integer()),
  found: Optional(Type.Array(Count)),
});
export type Seen = Static<typeof Seen>;

/** Our own name of a sandbox: s1, s2, …; `by` is the bystander. */
export const Target = Type.String({ pattern: "^(s[0-9]+|by)$" });

/** The case that an operation serves: a check id and the case's name. */
export const Probe = Type.String({ pattern: "^[a-z]+\\.[a-z0-9-]+/[a-z0-9-]+$" });

const Expectation = closed({ exit: Optional(Exit), stdout: Optional(Made), stderr: Optional(Made) });
const OnPath = closed({ path: Made });
const Nothing = closed({});
const Output = { stdout: Seen, stderr: Seen };

/** What a sandbox told about itself; `labels` is the HMAC of the labels in canonical JSON. */
const Observed = closed({ state: SandboxState, labels: Optional(Seen) });
const Item = closed({
  id: Pseudonym,
  target: Optional(Target),
  attempt: Optional(Token),
  bearsRun: Flag(),
  state: SandboxState,
});

/** `invoke`, and `ok` where the method succeeded; a method that is not here records only that it was called. */
export const OPERATIONS = {
  describe: { invoke: Nothing, ok: closed({ description: Seen }) },
  check: { invoke: Nothing, ok: closed({ ready: Flag(), problems: Count }) },
  create: {
    invoke: closed({ attempt: Token, members: List(Type.String()), labels: Optional(Made), env: Optional(Made) }),
    ok: closed({ id: Pseudonym }),
  },
  observe: { invoke: Nothing, ok: Observed },
  list: {
    invoke: closed({ filter: oneOf("none", "run", "bystander"), pageSize: Optional(Count) }),
    ok: closed({ complete: Flag(), items: List(Item), others: Count }),
  },
  exec: {
    invoke: closed({
      form: oneOf("argv", "script"),
      content: Made,
      members: List(Type.String()),
      timeoutMs: Optional(Milliseconds),
      stdin: Optional(Made),
      token: Optional(Token),
      canaries: Optional(Count),
      expect: Optional(Expectation),
    }),
    ok: closed({ exit: Exit, ...Output }),
  },
  destroy: { invoke: Nothing, ok: closed({ absent: Optional(Type.Literal(true)) }) },
  "files.write": { invoke: closed({ path: Made, content: Made }), ok: closed({ bytes: Count }) },
  "files.read": { invoke: closed({ path: Made, expect: Optional(Made) }), ok: closed({ bytes: Count, content: Seen }) },
  "files.stat": {
    invoke: OnPath,
    ok: closed({ kind: oneOf("file", "directory", "link", "other"), size: Count, mode: Count }),
  },
  "files.list": { invoke: OnPath, ok: closed({ entries: Count, complete: Flag() }) },
  "files.remove": { invoke: OnPath, ok: Nothing },
  "files.makeDirectory": { invoke: OnPath, ok: Nothing },
  "inventory.native": {
    invoke: Nothing,
    ok: closed({
      complete: Flag(),
      items: List(
        closed({
          kind: Type.String({ pattern: "^[a-z-]+$" }),
          identity: Pseudonym,
          target: Optional(Target),
          live: Optional(Flag()),
        }),
      ),
    }),
  },
} as const satisfies Partial<Record<Method, { invoke: TSchema; ok: TSchema }>>;

export type Recorded = keyof typeof OPERATIONS;
export type InvokeValue<F extends Recorded> = Static<(typeof OPERATIONS)[F]["invoke"]>;
export type OkValue<F extends Recorded> = Static<(typeof OPERATIONS)[F]["ok"]>;

/** Faults of an adapter as a program: each is an `adapter.*` matter, never the provider's. */
export const AdapterFault = oneOf(
  "stdout-not-message",
  "line-too-long",
  "reply-malformed",
  "reply-twice",
  "reply-unknown-call",
  "output-after-reply",
  "output-malformed",
  "error-untyped",
);
export type AdapterFault = Static<typeof AdapterFault>;

export const NOTES = {
  "scenario-started": Nothing,
  "scenario-ended": closed({
    outcome: oneOf("completed", "abandoned", "crashed", "interrupted", "skipped"),
    reason: Optional(Type.String({ pattern: "^[a-z0-9 .:-]{1,120}$" })),
  }),
  "adapter-started": closed({ incarnation: Count }),
  "adapter-killed": closed({ incarnation: Count }),
  "adapter-ended": closed({ incarnation: Count, expected: Flag() }),
  "adapter-fault": closed({ fault: AdapterFault }),
  "fault-injected": closed({ fault: oneOf("reply-dropped", "cancelled", "adapter-killed") }),
  "late-reply": closed({ answer: oneOf("ok", "error"), id: Optional(Pseudonym) }),
  settled: closed({ ms: Milliseconds }),
  fact: closed({ name: Type.String({ pattern: "^[a-z-]+$" }), number: Type.Number() }),
  teardown: closed({ attempts: Count, ended: Count, left: Count }),
  figure: closed({
    name: Type.String({ pattern: "^[a-z0-9-]+$" }),
    value: Type.Number(),
    unit: oneOf("ns", "ms", "bytes", "count"),
  }),
} as const satisfies Record<string, TSchema>;
export type NoteKind = keyof typeof NOTES;
export type NoteValue<K extends NoteKind> = Static<(typeof NOTES)[K]>;

/** Why a call did not end in a typed success. `origin` says who spoke: the adapter's reply, the harness's clock, or a planted fault. */
export const EventError = closed({
  code: ErrorCode,
  definite: Flag(),
  refused: Flag(),
  origin: oneOf("reply", "deadline", "dropped", "died", "malformed"),
});
export type EventError = Static<typeof EventError>;

const place = {
  i: Count,
  t: Nanoseconds,
  process: Count,
  scenario: Type.String({ pattern: "^[a-z0-9.-]+$" }),
  prev: Sha256,
};

/** The envelope; `value` is checked against {@link OPERATIONS} or {@link NOTES} by `f`. */
export const EventEnvelope = Type.Union([
  closed({
    ...place,
    type: Type.Literal("invoke"),
    f: Type.String(),
    target: Optional(Target),
    probe: Optional(Probe),
    value: Type.Unknown(),
  }),
  closed({
    ...place,
    type: Type.Literal("ok"),
    f: Type.String(),
    of: Count,
    sent: Nanoseconds,
    target: Optional(Target),
    value: Type.Unknown(),
  }),
  closed({
    ...place,
    type: oneOf("fail", "info"),
    f: Type.String(),
    of: Count,
    sent: Nanoseconds,
    target: Optional(Target),
    error: EventError,
    value: Optional(closed(Output)),
  }),
  closed({
    ...place,
    type: Type.Literal("note"),
    f: Type.String(),
    of: Optional(Count),
    target: Optional(Target),
    value: Type.Unknown(),
  }),
  closed({ i: Count, t: Nanoseconds, type: Type.Literal("end"), count: Count, prev: Sha256 }),
]);

interface Place {
  readonly i: number;
  readonly t: number;
  readonly process: number;
  readonly scenario: string;
  readonly prev: string;
}
interface OnTarget {
  readonly target?: string;
}
export type Invoke = Place &
  OnTarget & { readonly type: "invoke"; readonly f: string; readonly probe?: string; readonly value: unknown };
export type Ok = Place &
  OnTarget & {
    readonly type: "ok";
    readonly f: string;
    readonly of: number;
    readonly sent: number;
    readonly value: unknown;
  };
export type NotOk = Place &
  OnTarget & {
    readonly type: "fail" | "info";
    readonly f: string;
    readonly of: number;
    readonly sent: number;
    readonly error: EventError;
    readonly value?: { readonly stdout: Seen; readonly stderr: Seen };
  };
export type Note = Place &
  OnTarget & { readonly type: "note"; readonly f: string; readonly of?: number; readonly value: unknown };
export interface End {
  readonly i: number;
  readonly t: number;
  readonly type: "end";
  readonly count: number;
  readonly prev: string;
}
export type HistoryEvent = Invoke | Ok | NotOk | Note | End;

/** An event before the writer gives it index, time and chain. */
type Draft<E> = E extends unknown ? Omit<E, "i" | "t" | "prev"> : never;
export type EventDraft = Draft<Invoke | Ok | NotOk | Note>;
