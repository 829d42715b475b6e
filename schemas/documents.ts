/** The stored documents of a run. */
import { type Static, type TSchema, Type } from "typebox";
import {
  Boundary,
  CheckId,
  Count,
  closed,
  JsonObject,
  Labels,
  Milliseconds,
  Nanoseconds,
  oneOf,
  Pseudonym,
  RunId,
  SandboxId,
  Sha256,
  Token,
} from "./core.ts";
import { Waits } from "./description.ts";
import { Target } from "./event.ts";

const { Optional, Boolean: Flag, Array: List, String: Text, Literal } = Type;

export const Profile = oneOf("prove", "core", "full");
export type Profile = Static<typeof Profile>;
export const Source = oneOf("port", "guest", "collector", "host", "inventory", "second-account");
export type Source = Static<typeof Source>;
export const Level = oneOf("must", "should", "if-declared");
export type Level = Static<typeof Level>;

export const STATUSES = [
  "pass",
  "fail",
  "unknown",
  "unsupported",
  "not-applicable",
  "disabled",
  "blocked",
  "harness-error",
] as const;
export const Status = oneOf(...STATUSES);
export type Status = Static<typeof Status>;
export const UnknownCause = oneOf(
  "no-witness",
  "control-failed",
  "too-few",
  "indeterminate",
  "step-budget",
  "undeclared",
  "adapter-fault",
);
export type UnknownCause = Static<typeof UnknownCause>;

/** `environment.json`: complete before the first event, and part of the chain's genesis. */
export const Environment = closed({
  schema: Literal("sandproof-environment/1"),
  runId: RunId,
  harness: closed({
    version: Text(),
    commit: Optional(Text()),
    dirty: Optional(Flag()),
    node: Text(),
    platform: Text(),
    kernel: Text(),
  }),
  startedAt: Text({ description: "UTC, ISO 8601" }),
  contract: Literal(1),
  profile: Profile,
  selection: Optional(closed({ checks: List(Text()), suites: List(Text()), skip: List(Text()) })),
  seed: Text({ pattern: "^[0-9]+$" }),
  shard: Text({ pattern: "^[0-9]+$" }),
  challenge: Optional(Text()),
  command: List(Text(), { description: "command line with the values of secrets and paths replaced" }),
  provider: closed({ name: Text(), version: Text() }),
  adapter: closed({
    name: Text(),
    version: Text(),
    source: Optional(Text()),
    commit: Optional(Text()),
    dirty: Optional(Flag()),
    files: Sha256,
  }),
  target: closed({ region: Optional(Text()), endpointClass: Optional(Text()) }),
  boundary: Boundary,
  minimumBoundary: Boundary,
  ownership: oneOf("labels", "name", "client-id"),
  ephemeral: Flag(),
  capabilities: JsonObject,
  claims: JsonObject,
  waits: Waits,
  quotas: JsonObject,
  cost: closed({ perSandboxHourUsd: Optional(Type.Number({ minimum: 0 })) }),
  guest: closed({ shell: Text(), tools: List(Text()), workdir: Text(), user: Text() }),
  budget: closed({ timeMs: Milliseconds, sandboxes: Count }),
  passEnv: List(Text(), { description: "names only" }),
  allow: Optional(closed({ blocked: Flag(), unknown: List(Text(), { description: "globs of check ids" }) })),
});
export type Environment = Static<typeof Environment>;

export const PLANES = [
  "inventory",
  "ended-natively",
  "companions",
  "local-state",
  "remote-temp",
  "processes",
  "billing",
] as const;
export const HostPlane = oneOf("processes", "mounts", "network-devices", "cgroups", "temp-entries", "local-state");
export type HostPlane = Static<typeof HostPlane>;

/**
 * What a witness saw, with its own clock. `moment` names the point of the run: `before` and `after` frame all of it,
 * others frame one provoked failure.
 */
export const WITNESS = {
  clock: closed({ lowNs: Type.Integer(), highNs: Type.Integer() }),
  token: closed({ token: Token, target: Optional(Target), alive: Count }),
  plane: closed({
    plane: HostPlane,
    moment: Text({ pattern: "^[a-z0-9-]+$" }),
    readable: Flag(),
    ours: List(Pseudonym),
    others: Count,
  }),
  native: closed({ target: Target, live: Flag(), items: Count }),
} as const satisfies Record<string, TSchema>;
export type WitnessKind = keyof typeof WITNESS;

export const WitnessRecord = closed({
  i: Count,
  t: Nanoseconds,
  source: oneOf("host", "collector"),
  kind: oneOf("clock", "token", "plane", "native"),
  value: Type.Unknown(),
});
export type WitnessValue<K extends WitnessKind> = Static<(typeof WITNESS)[K]>;
export type WitnessRecord = {
  [K in WitnessKind]: {
    readonly i: number;
    readonly t: number;
    readonly source: "host" | "collector";
    readonly kind: K;
    readonly value: WitnessValue<K>;
  };
}[WitnessKind];

export const CheckResult = closed({
  id: CheckId,
  area: Text(),
  level: Level,
  status: Status,
  deciding: Flag(),
  requirement: Text(),
  source: Optional(Source),
  cause: Optional(UnknownCause),
  detail: Text(),
  count: Optional(Count),
  counterexample: Optional(closed({ events: List(Count), expected: Text(), observed: Text() })),
  known: Optional(closed({ reason: Text(), issue: Text() })),
});
export type CheckResult = Static<typeof CheckResult>;

export const Conformance = oneOf("conformant", "passed-selection", "violated", "unknown", "blocked", "harness-error");
export type Conformance = Static<typeof Conformance>;
export const Residue = oneOf("none", "left", "unknown");
export type Residue = Static<typeof Residue>;

export const Results = closed({
  schema: Literal("sandproof-results/1"),
  runId: RunId,
  harness: Text(),
  root: Sha256,
  history: oneOf("complete", "truncated"),
  provider: Text(),
  profile: Profile,
  verdict: closed({ conformance: Conformance, residue: Residue }),
  exitCode: Count,
  counts: Type.Unsafe<Record<Status, number>>(closed(Object.fromEntries(STATUSES.map((status) => [status, Count])))),
  checks: List(CheckResult),
  planes: List(
    closed({ plane: oneOf(...PLANES), status: Status, during: Count, after: Count, others: Count, detail: Text() }),
  ),
  notTested: List(closed({ what: Text(), why: Text() }), { minItems: 1 }),
  allowed: List(Text()),
  events: Count,
  sandboxes: closed({ created: Count, ended: Count }),
  durationNs: Nanoseconds,
});
export type Results = Static<typeof Results>;

export const Manifest = closed({
  schema: Literal("sandproof-manifest/1"),
  runId: RunId,
  root: Sha256,
  files: List(closed({ path: Text(), sha256: Sha256, bytes: Count, kind: oneOf("fact", "view") })),
});
export type Manifest = Static<typeof Manifest>;

/** `journal.ndjson`: private, durable before every call that makes or removes. Real ids, never published. */
export const JournalEntry = Type.Union([
  closed({
    kind: Literal("run"),
    runId: RunId,
    version: Text(),
    provider: Text(),
    adapter: List(Text(), { description: "argv of the adapter process" }),
    options: Labels,
    passEnv: List(Text(), { description: "names only" }),
    harness: closed({ pid: Count, startTime: Text(), bootId: Text(), pidNamespace: Text() }),
    folders: closed({ state: Text(), cache: Text(), config: Text(), scratch: Text() }),
  }),
  closed({ kind: Literal("adapter"), pid: Count, startTime: Text() }),
  closed({
    kind: Literal("attempt"),
    attempt: Token,
    method: Text(),
    role: oneOf("subject", "bystander"),
    target: Target,
    name: Optional(Text()),
  }),
  closed({ kind: Literal("made"), attempt: Token, id: SandboxId }),
  closed({ kind: Literal("removing"), attempt: Optional(Token), id: SandboxId }),
  closed({ kind: Literal("ended"), attempt: Optional(Token), id: SandboxId }),
  closed({ kind: Literal("closed"), left: Count }),
]);
export type JournalEntry = Static<typeof JournalEntry>;

/** `contract/requirements/1.json`: every id of the catalogue, its profile, and whether it is built. */
export const RequirementSet = closed({
  schema: Literal("sandproof-requirements/1"),
  contract: Literal(1),
  checks: List(closed({ id: CheckId, level: Level, profile: Profile, built: Flag() })),
});
export type RequirementSet = Static<typeof RequirementSet>;
