/** The host table: the witness that reads this machine itself, outside the sandbox and outside the adapter. */
import { type Clock, NS_PER_MS, pause, startClock } from "../contract/clock.ts";
import type { Pseudonym } from "../schemas/core.ts";
import type { WitnessKind, WitnessValue } from "../schemas/documents.ts";
import { inhabitants, stands } from "./dwellings.ts";
import { type HostReading, type Names, readHost } from "./host.ts";
import { readLocalState } from "./local-state.ts";
import { type Mount, readMounts } from "./mounts.ts";
import { Ownership } from "./ownership.ts";
import { type HostProcess, lineage, living, type ProcessTable, readProcess, readProcesses } from "./processes.ts";
import { valueOf } from "./read.ts";
import { type Baseline, baselineOf, type Item, type PlaneReading, residueOf } from "./residue.ts";
import { tokenBearers, wrappers } from "./token-rule.ts";

/** A parent that lives shorter than this can hide its child from descent; mark, session and dwelling still tell. */
const SAMPLE_EVERY_MS = 500;
const SETTLE_POLL_MS = 50;

export interface HostWitnessOptions {
  readonly runId: string;
  /** Appends one record to the witness log. */
  record<K extends WitnessKind>(source: "host", kind: K, value: WitnessValue<K>): void;
  pseudonym(kind: string, value: string): Pseudonym;
  readonly clock?: Clock;
  /** Folders whose entries are all the run's. */
  readonly scratch: Iterable<string>;
  /** Places that the adapter declares (`describe.localState`); `~/` is the home folder. */
  readonly localState: Iterable<string>;
}

export interface Left extends Omit<Item, "identity"> {
  readonly kind: PlaneReading["plane"];
}

export class HostWitness {
  readonly #options: HostWitnessOptions;
  readonly #clock: Clock;
  readonly #ownership: Ownership;
  /** Identity to the pid that it is excused for. */
  readonly #excused = new Map<string, number>();
  readonly #tokens = new Set<string>();
  readonly #scratch: Set<string>;
  readonly #localState: Set<string>;
  /** Tokens and targets once seen in a PID namespace of their own. */
  readonly #inside = new Set<string>();
  #baseline: Baseline | undefined;
  /** What was ours at each moment. */
  readonly #framed = new Map<string, ReadonlySet<string>>();
  #table: ProcessTable = { readable: false, byPid: new Map() };
  #mounts: readonly Mount[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HostWitnessOptions) {
    this.#options = options;
    this.#clock = options.clock ?? startClock();
    this.#ownership = new Ownership(options.runId);
    this.#scratch = new Set(options.scratch);
    this.#localState = new Set(options.localState);
    this.#read();
    const harness = this.#table.byPid.get(process.pid);
    if (harness === undefined) return;
    this.#excused.set(harness.identity, harness.pid);
    this.#ownership.shares(harness, this.#mounts);
  }

  /** Records the clock (the harness's own: no offset) and samples until `stop`. */
  start(): void {
    this.#options.record("host", "clock", { lowNs: 0, highNs: 0 });
    this.sample();
    this.#timer ??= setInterval(() => this.sample(), SAMPLE_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** The harness or an adapter: its descendants are ours; itself is no residue until `dismiss`. Absent: nothing happens. */
  adopt(pid: number): void {
    const found = valueOf(readProcess(pid));
    if (found === undefined) return;
    this.#ownership.adopt(found, this.#mounts);
    this.#excused.set(found.identity, pid);
    this.sample();
  }

  /** A helper of the harness that may run while frames are taken. */
  excuse(pid: number): void {
    const found = valueOf(readProcess(pid));
    if (found !== undefined) this.#excused.set(found.identity, pid);
  }

  /**
   * What descends now from an adapter is the adapter itself (`npx` starts a shell that starts it) or its daemon. Only
   * true before its first call that makes something: call it then, once.
   */
  excuseHelpers(pid: number): void {
    this.sample();
    for (const one of this.#table.byPid.values()) {
      const isHelper = [...lineage(one.ppid, this.#table)].some((ancestor) => ancestor.pid === pid);
      if (isHelper) this.#excused.set(one.identity, pid);
    }
  }

  /** No longer current: should it or a helper of it still live, it is residue. */
  dismiss(pid: number): void {
    for (const [identity, reason] of this.#excused) if (reason === pid) this.#excused.delete(identity);
  }

  /** A token of this run: what bears it in its name or path is ours. */
  mine(token: string): void {
    this.#tokens.add(token);
  }

  /** Further folders and globs, for an adapter that starts later. What a new glob matches now was there before. */
  watch(scratch: Iterable<string>, localState: Iterable<string> = []): void {
    for (const folder of scratch) this.#scratch.add(folder);
    const globs = [...localState].filter((glob) => !this.#localState.has(glob));
    for (const glob of globs) this.#localState.add(glob);
    if (this.#baseline === undefined || globs.length === 0) return;
    const known = [...this.#baseline["local-state"], ...readLocalState([], globs).items];
    this.#baseline = { ...this.#baseline, "local-state": new Set(known) };
  }

  /** Learns now what is ours. */
  sample(): void {
    this.#read();
    this.#ownership.learn(this.#table, this.#mounts);
  }

  /**
   * Live processes with the token in an argument; recorded, and where they live is learnt.
   *
   * Never counted: the harness, its ancestors, adopted and excused processes, and bearers with a bearer among their
   * descendants (`sh -c` and wrappers). Bearers in a PID namespace other than the harness's count alone, where there are
   * any or once were for this token or target: then those on the host's side only carry the guest's command line
   * (`nsenter … argv`, a container client), and may outlive it.
   *
   * `program`: when given, only processes whose own name (base name of argument 0) it is count. It keeps a client of a
   * sandbox that this host cannot see into (`ssh host sh -c …`) from passing for the guest's process.
   */
  token(token: string, target?: string, program?: string): number {
    this.mine(token);
    this.sample();
    const never = new Set([...lineage(process.pid, this.#table)].map((ancestor) => ancestor.identity));
    const bearers = tokenBearers(
      token,
      living(this.#table).filter(({ identity }) => !never.has(identity) && !this.#excused.has(identity)),
      this.#table.byPid.get(process.pid)?.pidNamespace,
    );
    const wrapping = wrappers(bearers, this.#table);
    const keys = target === undefined ? [token] : [token, target];
    if (bearers.some((bearer) => bearer.inside)) for (const key of keys) this.#inside.add(key);
    const onlyInside = keys.some((key) => this.#inside.has(key));
    const counted = bearers.filter(
      (bearer) =>
        (bearer.inside || !onlyInside) &&
        !wrapping.has(bearer) &&
        (program === undefined || nameOf(bearer.process) === program),
    );
    for (const bearer of counted) this.#ownership.plant(bearer.process, target, this.#table, this.#mounts);
    this.#options.record("host", "token", {
      token: token as WitnessValue<"token">["token"],
      ...(target === undefined ? {} : { target }),
      alive: counted.length,
    });
    return counted.length;
  }

  /** Live processes where the target's tokens were seen; recorded. `undefined`: nothing was learnt, this is no witness. */
  native(target: string): WitnessValue<"native"> | undefined {
    const dwellings = this.#ownership.dwellingsOf(target);
    if (dwellings === undefined) return undefined;
    this.sample();
    const standing = dwellings.filter((dwelling) => stands(dwelling, this.#table));
    const items = inhabitants(standing, this.#table).size;
    const value = { target, live: items > 0, items };
    this.#options.record("host", "native", value);
    return value;
  }

  /** `before` is what later frames are compared with; each frame is recorded, one record a plane. */
  frame(moment: string): readonly PlaneReading[] {
    const host = this.#readAll();
    if (moment === "before") {
      this.#baseline = baselineOf(host, this.#localStateNow());
      for (const one of living(host.processes)) {
        if (!this.#ownership.owns(one)) this.#ownership.isCommon(one, host.mounts.items);
      }
    }
    const planes = this.#compare(host);
    this.#framed.set(
      moment,
      new Set(planes.flatMap(({ plane, ours }) => ours.map((item) => `${plane} ${item.identity}`))),
    );
    for (const { plane, readable, ours, others } of planes) {
      const names = ours.map((item) => this.#options.pseudonym(KIND[plane], item.identity));
      this.#options.record("host", "plane", { plane, moment, readable, ours: names, others });
    }
    return planes;
  }

  /**
   * Waits until nothing of ours is there that was not in the frame `since` (default: nothing at all), `boundMs` milliseconds at most;
   * then one frame is recorded.
   */
  async settle(moment: string, boundMs: number, since?: string): Promise<readonly PlaneReading[]> {
    const end = this.#clock.now() + boundMs * NS_PER_MS;
    const known = (since === undefined ? undefined : this.#framed.get(since)) ?? new Set();
    const isNew = ({ plane, ours }: PlaneReading) => ours.some((item) => !known.has(`${plane} ${item.identity}`));
    while (this.#compare(this.#readAll()).some(isNew) && this.#clock.now() < end) await pause(SETTLE_POLL_MS);
    return this.frame(moment);
  }

  /** What of ours is left now. Not for publication: it holds command lines and paths. */
  left(): readonly Left[] {
    return this.#compare(this.#readAll()).flatMap(({ plane, ours }) =>
      ours.map(({ description }) => ({ kind: plane, description })),
    );
  }

  #read(): void {
    this.#mounts = valueOf(readMounts()) ?? [];
    this.#table = readProcesses(this.#table);
  }

  #readAll(): HostReading {
    const host = readHost(this.#table);
    this.#table = host.processes;
    this.#mounts = host.mounts.items;
    this.#ownership.learn(this.#table, this.#mounts);
    return host;
  }

  #localStateNow(): Names {
    return readLocalState(this.#scratch, this.#localState);
  }

  /** Without a `before` nothing is new, so nothing can be said: every plane counts as not readable. */
  #compare(host: HostReading): PlaneReading[] {
    const localState = this.#localStateNow();
    const baseline = this.#baseline ?? baselineOf(host, localState);
    const signs = { runId: this.#options.runId, tokens: this.#tokens, scratch: this.#scratch };
    const excused = (one: HostProcess): boolean => this.#excused.has(one.identity);
    const planes = residueOf(host, localState, baseline, this.#ownership, signs, excused);
    return this.#baseline === undefined ? planes.map((plane) => ({ ...plane, readable: false })) : planes;
  }
}

const KIND = {
  processes: "process",
  mounts: "mount",
  "network-devices": "network-device",
  cgroups: "cgroup",
  "temp-entries": "temp-entry",
  "local-state": "local-state",
} as const satisfies Record<PlaneReading["plane"], string>;

const nameOf = (one: HostProcess): string | undefined => one.commandLine?.[0]?.split("/").at(-1);
