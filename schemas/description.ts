/** What a provider says about itself: the reply to `describe`. */
import { type Static, Type } from "typebox";
import { Boundary, Count, closed, JsonObject, Milliseconds, oneOf } from "./core.ts";

/** Published as it stands, so that it must look like what it is: no sentence, address, mail or path of somebody's fits. */
const Version = Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9.+~_-]{0,63}$" });
const Word = Type.String({ pattern: "^[A-Za-z0-9_][A-Za-z0-9._+-]{0,63}$" });
const GuestPath = Type.String({ pattern: "^/?[A-Za-z0-9._/-]{1,255}$" });

const Empty = closed({});
const flag = <T extends readonly string[]>(...values: T) => oneOf(...values, "undeclared");

/** Capability keys (contract 1). A key is present only when the provider keeps it. */
export const Capabilities = Type.Object(
  {
    labels: Type.Optional(closed({ maxKeys: Count, maxLength: Count })),
    names: Type.Optional(closed({ unique: Type.Boolean() })),
    images: Type.Optional(Empty),
    templates: Type.Optional(closed({ values: Type.Optional(Type.Array(Type.String())) })),
    mainProcess: Type.Optional(Empty),
    files: Type.Optional(
      closed({
        atomic: Type.Boolean(),
        parents: oneOf("made", "refused"),
        mode: Type.Boolean(),
        links: oneOf("followed-inside", "refused"),
        maxBytes: Type.Optional(Count),
      }),
    ),
    stdin: Type.Optional(Empty),
    tty: Type.Optional(closed({ resize: Type.Boolean() })),
    user: Type.Optional(Empty),
    reattach: Type.Optional(Empty),
    pause: Type.Optional(closed({ memory: Type.Boolean(), execWhilePaused: oneOf("refused", "waits") })),
    snapshots: Type.Optional(closed({ memory: Type.Boolean(), disk: Type.Boolean() })),
    fork: Type.Optional(
      closed({
        memory: Type.Boolean(),
        disk: Type.Boolean(),
        live: Type.Boolean(),
        maxCount: Count,
        nested: Type.Boolean(),
        lives: oneOf("independent", "children-end-with-parent"),
        identity: Type.Record(
          oneOf(
            "bootId",
            "machineId",
            "hostname",
            "addresses",
            "hashSeed",
            "tempNames",
            "userRandom",
            "secrets",
            "connections",
            "timers",
          ),
          flag("distinct", "same"),
        ),
      }),
    ),
    egress: Type.Optional(
      closed({
        modes: Type.Array(oneOf("none", "open", "allow-list")),
        default: oneOf("none", "open", "allow-list"),
        names: Type.Boolean(),
        cidrs: Type.Boolean(),
        ports: Type.Boolean(),
        protocols: Type.Array(oneOf("tcp", "udp", "icmp")),
        liveUpdate: Type.Boolean(),
        transport: oneOf("transparent", "proxy"),
        wildcards: oneOf("none", "one-label", "any-depth"),
        empty: oneOf("none", "default", "refused"),
      }),
    ),
    lifetime: Type.Optional(closed({ ttl: closed({ min: Count, max: Count, slack: Count }), extend: Type.Boolean() })),
    idempotencyKey: Type.Optional(Empty),
    region: Type.Optional(closed({ values: Type.Array(Type.String()) })),
    ports: Type.Optional(closed({ auth: Type.Boolean() })),
    resourceLimits: Type.Optional(
      closed({ memory: Type.Boolean(), pids: Type.Boolean(), disk: Type.Boolean(), cpu: Type.Boolean() }),
    ),
    serviceAccount: Type.Optional(Empty),
    hardening: Type.Optional(closed({ noNewPrivs: Type.Boolean(), seccomp: Type.Boolean() })),
    inventory: Type.Optional(closed({ planes: Type.Array(Type.String()) })),
    network: closed({ siblings: flag("closed", "open"), inbound: flag("closed", "open") }),
    backgroundProcesses: closed({ afterExec: flag("kept", "killed") }),
    signalForm: flag("signal", "128+n"),
    listsEnded: Type.Boolean(),
    listsPaused: Type.Boolean(),
  },
  { patternProperties: { "^x-[a-z0-9-]+$": { type: ["boolean", "number"] } }, unevaluatedProperties: false },
);
export type Capabilities = Static<typeof Capabilities>;

export const Waits = closed(
  {
    createMs: Type.Optional(Milliseconds),
    readyMs: Type.Optional(Milliseconds),
    endedMs: Type.Optional(Milliseconds),
    destroyMs: Type.Optional(Milliseconds),
    listStaleMs: Type.Optional(Milliseconds),
    settleMs: Type.Optional(Milliseconds),
    policyMs: Type.Optional(Milliseconds),
    denyMs: Type.Optional(Milliseconds),
    pauseMs: Type.Optional(Milliseconds),
    forkMs: Type.Optional(Milliseconds),
    cancelMs: Type.Optional(Milliseconds),
    execGraceMs: Type.Optional(Milliseconds),
  },
  "Declared upper bounds; the harness applies its own default and ceiling to each.",
);
export type Waits = Static<typeof Waits>;

export const Description = closed({
  contract: Type.Literal(1),
  provider: closed({ name: Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,63}$" }), version: Version }),
  adapter: closed({
    name: Word,
    version: Version,
    source: Type.Optional(Type.String()),
    commit: Type.Optional(Type.String()),
    dirty: Type.Optional(Type.Boolean()),
  }),
  target: closed({
    region: Type.Optional(Type.String({ pattern: "^[a-z][a-z0-9-]{0,63}$" })),
    endpointClass: Type.Optional(oneOf("this-host", "local-network", "remote")),
  }),
  boundary: Boundary,
  ownership: oneOf("labels", "name", "client-id"),
  capabilities: Capabilities,
  claims: closed({
    launch: Type.Optional(
      closed({
        from: oneOf("cold", "warm", "mixed"),
        mode: Type.String(),
        ms: closed({
          p50: Type.Optional(Milliseconds),
          p90: Type.Optional(Milliseconds),
          p95: Type.Optional(Milliseconds),
          p99: Type.Optional(Milliseconds),
        }),
      }),
    ),
    maxLive: Type.Optional(Count),
    neighbourSlowdown: Type.Optional(Type.Number({ minimum: 1 })),
  }),
  waits: Waits,
  quotas: closed({
    live: Type.Optional(Count),
    listPage: Type.Optional(Count),
    createsPerMinute: Type.Optional(Count),
  }),
  cost: closed({ perSandboxHourUsd: Type.Optional(Type.Number({ minimum: 0 })) }),
  extra: Type.Optional(JsonObject),
  guest: closed({ shell: GuestPath, tools: Type.Array(Word), workdir: GuestPath, user: Word }),
  options: JsonObject,
  localState: Type.Array(Type.String()),
  ephemeral: Type.Boolean(),
});
export type Description = Static<typeof Description>;
