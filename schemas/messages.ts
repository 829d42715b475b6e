/** Parameters and results of every wire method (contract 1). Results stay open: a newer adapter may say more. */
import { type Static, type TSchema, Type } from "typebox";
import {
  Count,
  closed,
  Exit,
  JsonObject,
  Labels,
  Milliseconds,
  oneOf,
  SandboxId,
  SandboxState,
  Token,
} from "./core.ts";
import { Description } from "./description.ts";

const { Object: open, Optional, String: Text, Array: List, Boolean: Flag } = Type;

export const Resources = closed({
  memoryMiB: Optional(Count),
  pids: Optional(Count),
  diskMiB: Optional(Count),
  cpuMillis: Optional(Count),
});

export const Policy = Type.Union([
  closed({ mode: Type.Literal("none") }),
  closed({ mode: Type.Literal("open") }),
  closed({
    mode: Type.Literal("allow-list"),
    allow: List(
      Type.Union([
        closed({ host: Text(), ports: Optional(List(Count)), protocol: Optional(oneOf("tcp", "udp", "icmp")) }),
        closed({ cidr: Text(), ports: Optional(List(Count)), protocol: Optional(oneOf("tcp", "udp", "icmp")) }),
      ]),
    ),
  }),
]);
export type Policy = Static<typeof Policy>;

/** What to create. Members whose capability is not declared are refused by the adapter. */
export const Spec = closed({
  env: Optional(Labels),
  extra: Optional(JsonObject),
  labels: Optional(Labels),
  name: Optional(Text({ minLength: 1 })),
  image: Optional(Text()),
  template: Optional(Text()),
  command: Optional(List(Text())),
  egress: Optional(Policy),
  ttlSeconds: Optional(Count),
  idempotencyKey: Optional(Text()),
  region: Optional(Text()),
  resources: Optional(Resources),
});
export type Spec = Static<typeof Spec>;

const commandOptions = {
  cwd: Optional(Text()),
  env: Optional(Labels),
  timeoutMs: Optional(Milliseconds),
  stdin: Optional(Flag()),
  tty: Optional(closed({ rows: Count, cols: Count, term: Text() })),
  user: Optional(Text()),
};
/** What to run: exact arguments, or a script for the guest's `sh`. */
export const Command = Type.Union([
  closed({ argv: List(Text(), { minItems: 1 }), ...commandOptions }),
  closed({ script: Text(), ...commandOptions }),
]);
export type Command = Static<typeof Command>;

export const Observation = open({
  name: Optional(Text()),
  state: SandboxState,
  native: Text(),
  reason: Optional(Text()),
  labels: Optional(Labels),
  expiresAt: Optional(Text()),
  endReason: Optional(oneOf("ttl", "oom", "destroy", "crash", "unknown")),
});
export type Observation = Static<typeof Observation>;

export const ListItem = open({ id: SandboxId, name: Optional(Text()), state: SandboxState, labels: Optional(Labels) });
export type ListItem = Static<typeof ListItem>;

export const FileKind = oneOf("file", "directory", "link", "other");
export const FileStat = open({ kind: FileKind, size: Count, mode: Count });
export type FileStat = Static<typeof FileStat>;
export const FileEntry = open({ name: Text(), kind: FileKind, size: Count, mode: Count });
export type FileEntry = Static<typeof FileEntry>;

export const AppliedPolicy = Type.Union([Policy, closed({ mode: Type.Literal("unknown") })]);

export const InventoryItem = open({
  kind: Text(),
  identity: Text(),
  ownedBy: Optional(Text()),
  state: Optional(Text()),
  metered: Optional(Flag()),
});
export type InventoryItem = Static<typeof InventoryItem>;

const deadlineMs = Milliseconds;
const onSandbox = { id: SandboxId, deadlineMs };
const onPath = { ...onSandbox, path: Text({ minLength: 1 }), recursive: Optional(Flag()) };
const Done = open({});
const page = { labels: Optional(Labels), pageSize: Optional(Type.Integer({ minimum: 1 })), deadlineMs };
const complete = { complete: Flag() };

/**
 * The methods of the port, with what a call to each can do:
 * `makes` and `removes` are journalled before they are sent, `changes` has an effect inside, `none` only reads.
 */
export const METHODS = {
  describe: {
    effect: "none",
    params: open({ contract: Type.Literal(1), options: Type.Record(Text(), Text()) }),
    result: Description,
  },
  check: {
    effect: "none",
    params: open({ deadlineMs }),
    result: open({ ready: Flag(), problems: List(open({ what: Text(), fix: Text() })) }),
  },
  create: {
    effect: "makes",
    params: open({ spec: Spec, attempt: Token, deadlineMs }),
    result: open({ id: SandboxId }),
  },
  observe: { effect: "none", params: open(onSandbox), result: Observation },
  list: { effect: "none", params: open(page), result: open({ items: List(ListItem), ...complete }) },
  exec: { effect: "changes", params: open({ ...onSandbox, command: Command }), result: open({ exit: Exit }) },
  destroy: { effect: "removes", params: open(onSandbox), result: Done },
  "exec.attach": {
    effect: "none",
    params: open({ ...onSandbox, execution: Text(), stdoutFrom: Count, stderrFrom: Count }),
    result: open({ exit: Exit }),
  },
  "files.write": {
    effect: "changes",
    params: open({ ...onSandbox, path: Text({ minLength: 1 }), mode: Optional(Count) }),
    result: open({ bytes: Count }),
  },
  "files.read": { effect: "none", params: open(onPath), result: open({ bytes: Count }) },
  "files.list": { effect: "none", params: open(onPath), result: open({ entries: List(FileEntry), ...complete }) },
  "files.stat": { effect: "none", params: open(onPath), result: FileStat },
  "files.remove": { effect: "changes", params: open(onPath), result: Done },
  "files.makeDirectory": { effect: "changes", params: open(onPath), result: Done },
  "pause.pause": { effect: "changes", params: open(onSandbox), result: Done },
  "pause.resume": { effect: "changes", params: open(onSandbox), result: Done },
  fork: {
    effect: "makes",
    params: open({
      ...onSandbox,
      count: Count,
      pauseSource: Flag(),
      attempts: List(open({ attempt: Token, labels: Labels })),
    }),
    result: open({ children: List(open({ id: SandboxId })) }),
  },
  "snapshots.take": {
    effect: "makes",
    params: open({ ...onSandbox, attempt: Token, labels: Labels }),
    result: open({ snapshot: Text() }),
  },
  "snapshots.restore": {
    effect: "makes",
    params: open({ snapshot: Text(), spec: Spec, attempt: Token, deadlineMs }),
    result: open({ id: SandboxId }),
  },
  "snapshots.list": {
    effect: "none",
    params: open(page),
    result: open({ items: List(open({ snapshot: Text(), labels: Optional(Labels) })), ...complete }),
  },
  "snapshots.remove": { effect: "removes", params: open({ snapshot: Text(), deadlineMs }), result: Done },
  "egress.set": {
    effect: "changes",
    params: open({ ...onSandbox, policy: Policy }),
    result: open({ applied: AppliedPolicy }),
  },
  "egress.get": { effect: "none", params: open(onSandbox), result: open({ applied: AppliedPolicy }) },
  "lifetime.extend": { effect: "changes", params: open({ ...onSandbox, seconds: Count }), result: Done },
  "ports.expose": {
    effect: "makes",
    params: open({ ...onSandbox, port: Count, attempt: Token }),
    result: open({ url: Text(), credential: Optional(Text()) }),
  },
  "ports.close": { effect: "removes", params: open({ ...onSandbox, port: Count }), result: Done },
  "inventory.native": {
    effect: "none",
    params: open({ deadlineMs }),
    result: open({ items: List(InventoryItem), ...complete }),
  },
  shutdown: { effect: "none", params: open({}), result: Done },
} as const satisfies Record<
  string,
  { effect: "makes" | "removes" | "changes" | "none"; params: TSchema; result: TSchema }
>;

export type Method = keyof typeof METHODS;
export type Params<M extends Method> = Static<(typeof METHODS)[M]["params"]>;
export type Result<M extends Method> = Static<(typeof METHODS)[M]["result"]>;
