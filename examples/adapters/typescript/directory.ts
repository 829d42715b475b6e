/**
 * An adapter to start from. A sandbox is a directory, its commands are child processes: no isolation at all, and the
 * description says so (`boundary: "process"`). Linux only: processes are found in /proc.
 *
 * In a file of your own, write `from "sandproof"` instead of `from "../../../index.ts"`.
 */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import type { Readable } from "node:stream";
import { setImmediate, setTimeout } from "node:timers/promises";
import {
  type Adapter,
  type Call,
  type Command,
  type Description,
  type ExecStreams,
  type Exit,
  ProviderError,
  type SandboxId,
  type Spec,
} from "../../../index.ts";

const MAX_LABELS = 64;
const MAX_LABEL_CHARACTERS = 1024;
/** Nothing of the adapter's own environment may reach a command. */
const GUEST_ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };
/** The contract wants one absolute path, and each sandbox has a directory of its own: this is where a command finds itself. */
const WORKDIR = "/proc/self/cwd";
/** Bounds, in milliseconds: until killed processes are gone; of silence, once a command ended and only children hold its pipes. */
const KILL_MS = 5_000;
const KILL_POLL_MS = 10;
const QUIET_MS = 100;

/** Declare what you keep and nothing more: what is declared is tested, and `undeclared` is an honest answer. */
const description: Description = {
  contract: 1,
  provider: { name: "directory", version: "1" },
  adapter: { name: "directory", version: "1" },
  target: { endpointClass: "this-host" },
  boundary: "process",
  // Without labels: "name" (the harness chooses `spec.name`) or "client-id" (see `ownershipName`).
  ownership: "labels",
  capabilities: {
    labels: { maxKeys: MAX_LABELS, maxLength: MAX_LABEL_CHARACTERS },
    network: { siblings: "open", inbound: "open" },
    backgroundProcesses: { afterExec: "kept" },
    signalForm: "signal",
    listsEnded: false,
    listsPaused: false,
  },
  claims: {},
  // Upper bounds that the provider promises; what is left out has the harness's default.
  waits: { endedMs: 5_000, destroyMs: 10_000, listStaleMs: 0, settleMs: 500 },
  quotas: {},
  cost: {},
  guest: {
    shell: "/bin/sh",
    tools: ["sh", "cat", "printf", "sleep", "env"],
    workdir: WORKDIR,
    user: userInfo().username,
  },
  options: { type: "object", additionalProperties: false },
  localState: [],
  ephemeral: false,
};

/** A fresh adapter process must find every sandbox of the run again, so all that is known of one is on disk. */
interface Sandbox {
  readonly id: SandboxId;
  readonly labels: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly state: "running" | "stopping";
}

/** One set of XDG_*_HOME for the whole run; it must be empty at the end. TMPDIR is another one in each process. */
const home = join(process.env["XDG_STATE_HOME"] ?? join(homedir(), ".local", "state"), "sandproof-directory");
const recordOf = (id: string): string => join(home, `${id}.json`);
const folderOf = (id: string): string => join(home, id);

/** By rename: a record is there in full or not at all, whenever this process is killed. */
function save(sandbox: Sandbox): void {
  const unfinished = `${recordOf(sandbox.id)}.new`;
  writeFileSync(unfinished, JSON.stringify(sandbox));
  renameSync(unfinished, recordOf(sandbox.id));
}

/** Ids come from outside: only one that names a record of ours may become a path. */
const find = (id: string): Sandbox | undefined => all().find((sandbox) => sandbox.id === id);

function all(): Sandbox[] {
  const names = existsSync(home) ? readdirSync(home) : [];
  // Left by a `save` that was killed; none is half done while this process runs, and the harness runs one at a time.
  for (const name of names.filter((name) => name.endsWith(".new"))) rmSync(join(home, name));
  return names
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(home, name), "utf8")) as Sandbox);
}

/** The contract's members that are not kept are `unsupported`; invented ones `invalid-argument`. Both before any effect. */
function refuse(given: object, kept: readonly string[], notKept: readonly string[]): void {
  const members = Object.keys(given).filter((member) => !kept.includes(member));
  const invented = members.find((member) => !notKept.includes(member));
  if (invented !== undefined) throw new ProviderError("invalid-argument", `${invented} is not known`);
  if (members.length > 0) throw new ProviderError("unsupported", `not supported: ${members.join(", ")}`);
}

const SPEC_NOT_KEPT = "extra name image template command egress ttlSeconds idempotencyKey region resources".split(" ");

function create(spec: Spec): SandboxId {
  refuse(spec, ["labels", "env"], SPEC_NOT_KEPT);
  const { labels = {}, env = {} } = spec;
  const tooLong = Object.entries(labels)
    .flat()
    .some((text) => text.length > MAX_LABEL_CHARACTERS);
  if (tooLong || Object.keys(labels).length > MAX_LABELS) throw new ProviderError("invalid-argument", "labels too big");

  // The marked record first, the thing itself second: a create killed in between is found by its labels and removed.
  const id = randomUUID() as string as SandboxId;
  mkdirSync(home, { recursive: true });
  save({ id, labels, env, state: "running" });
  mkdirSync(folderOf(id));
  return id;
}

/** Known by their environment: no pid to keep, which might be another's by now, nor to lose when this process is killed. */
const sandboxMark = (id: string): Record<string, string> => ({ DIRECTORY_SANDBOX: id });
const commandMark = (id: string): Record<string, string> => ({ DIRECTORY_COMMAND: id });

/** Process groups with a member that bears the mark. Those that left their group and their environment escape. */
function groupsBearing(mark: Readonly<Record<string, string>>): Set<number> {
  const [entry = ""] = Object.entries(mark).map(([name, value]) => `${name}=${value}`);
  const groups = new Set<number>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(entry)) continue;
      // After the name in brackets: state, parent, process group.
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      groups.add(Number(fields[2]));
    } catch (error) {
      // Ended meanwhile, or another user's.
      if (!["ENOENT", "ESRCH", "EACCES"].includes(codeOf(error))) throw error;
    }
  }
  return groups;
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** Returns when nothing bears the mark any more. Errors: `unavailable`, indefinite: some may have been killed. */
async function killAll(mark: Readonly<Record<string, string>>): Promise<void> {
  for (let waited = 0; waited < KILL_MS; waited += KILL_POLL_MS) {
    const groups = groupsBearing(mark);
    if (groups.size === 0) return;
    for (const group of groups) {
      try {
        process.kill(-group, "SIGKILL");
      } catch (error) {
        if (codeOf(error) !== "ESRCH") throw error;
      }
    }
    await setTimeout(KILL_POLL_MS);
  }
  throw new ProviderError("unavailable", "processes of the sandbox did not end");
}

async function destroy(id: SandboxId): Promise<void> {
  const sandbox = find(id);
  // The harness takes this for success: what it asked for is so.
  if (sandbox === undefined) throw new ProviderError("not-found", `no sandbox ${id}`);
  // From now on nothing can start in it. The record goes last: a destroy cut anywhere is done again by the next process.
  save({ ...sandbox, state: "stopping" });
  await killAll(sandboxMark(id));
  rmSync(folderOf(id), { recursive: true, force: true });
  rmSync(recordOf(id), { force: true });
  if (all().length === 0 && existsSync(home)) rmdirSync(home);
}

async function exec(id: SandboxId, command: Command, streams: ExecStreams, call: Call): Promise<Exit> {
  refuse(command, ["argv", "script", "cwd", "env", "timeoutMs"], ["stdin", "tty", "user"]);
  const sandbox = find(id);
  if (sandbox?.state !== "running") throw new ProviderError("not-found", `no running sandbox ${id}`);
  const [file = "", ...args] = "argv" in command ? command.argv : ["/bin/sh", "-c", command.script];
  const cwd = resolve(folderOf(id), command.cwd?.replace(WORKDIR, ".") ?? ".");
  // Said by hand: a missing directory and a missing program are one and the same error of `spawn`.
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw new ProviderError("not-found", "command.cwd is no directory");

  const mark = commandMark(randomUUID());
  const child = spawn(file, args, {
    cwd,
    // The caller's variables win, save for the marks: without them nobody could end what runs here.
    env: { ...GUEST_ENV, HOME: folderOf(id), ...sandbox.env, ...command.env, ...mark, ...sandboxMark(id) },
    // A session and process group of its own, which also outlive this process.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });

  const stop = Promise.withResolvers<never>();
  let stopped: "timed-out" | "cancelled" | undefined;
  const end = (why: "timed-out" | "cancelled") => {
    stopped ??= why;
    killAll(mark).catch(stop.reject);
  };
  const cancel = () => end("cancelled");
  const timer =
    command.timeoutMs === undefined ? undefined : globalThis.setTimeout(end, command.timeoutMs, "timed-out");
  call.signal.addEventListener("abort", cancel, { once: true });
  try {
    // Rejects when the program could not be started.
    const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
    const outputs = [
      forward(child.stdout, "stdout", streams, exited),
      forward(child.stderr, "stderr", streams, exited),
    ];
    const [[code, signal]] = await Promise.race([Promise.all([exited, ...outputs]), stop.promise]);
    // How it really ended goes before why it was asked to: it may have ended by itself just then.
    if (code !== null) return { kind: "exited", code };
    if (stopped === "timed-out") return { kind: "timed-out" };
    if (stopped === "cancelled") throw new ProviderError("cancelled", "the command was killed");
    return signal === null ? { kind: "unknown", reason: "neither code nor signal" } : { kind: "signaled", signal };
  } catch (error) {
    const nothingRan = ["ENOENT", "EACCES", "E2BIG"].includes(codeOf(error));
    throw nothingRan ? new ProviderError("invalid-argument", `${file} cannot be started`, { cause: error }) : error;
  } finally {
    globalThis.clearTimeout(timer);
    call.signal.removeEventListener("abort", cancel);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/**
 * Passes on every byte, no faster than the harness takes it. Ends with the pipe, or, where a child left in the background
 * holds it open, when the command has ended and the pipe is silent.
 */
async function forward(
  from: Readable,
  stream: "stdout" | "stderr",
  streams: ExecStreams,
  exited: Promise<unknown>,
): Promise<void> {
  const chunks = from[Symbol.asyncIterator]();
  const silence = async () => {
    await exited;
    await setTimeout(QUIET_MS);
    // One more look at the pipe: this process may have been kept from running all the time.
    await setImmediate();
    return undefined;
  };
  for (;;) {
    const next = await Promise.race([chunks.next(), silence()]);
    if (next === undefined || next.done === true) return;
    await streams.output(stream, next.value as Uint8Array);
  }
}

/** The default export is what the harness opens, in a process of its own. `context.log` and `console` go to stderr. */
export default function open(): Adapter {
  return {
    // No effect, no network, no account: also asked where nothing is set up.
    describe: async () => description,
    check: async () => {
      const ready = existsSync("/proc/self/environ");
      return { ready, problems: ready ? [] : [{ what: "/proc is not mounted", fix: "mount -t proc proc /proc" }] };
    },
    create: async ({ spec }) => ({ id: create(spec) }),
    // An unknown id is `absent`, which is an answer; an error would say that nothing is known.
    observe: async ({ id }) => {
      const sandbox = find(id);
      return sandbox === undefined
        ? { state: "absent", native: "no record" }
        : { state: sandbox.state, native: sandbox.state, labels: { ...sandbox.labels } };
    },
    // All pages. `complete: false` where anything may be missing, so that nobody takes the list for the whole truth.
    list: async ({ labels = {} }) => ({
      items: all()
        .filter((sandbox) => Object.entries(labels).every(([key, value]) => sandbox.labels[key] === value))
        .map(({ id, state, labels }) => ({ id, state, labels: { ...labels } })),
      complete: true,
    }),
    exec: async ({ id, command }, streams, call) => ({ exit: await exec(id, command, streams, call) }),
    destroy: async ({ id }) => {
      await destroy(id);
      return {};
    },
    // Sandboxes live on: only what this process holds is freed.
    close: async () => {},
  };
}
