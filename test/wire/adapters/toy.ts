/** A small honest adapter whose "sandboxes" are names and whose commands are the functions below. */
import { pause } from "../../../contract/clock.ts";
import { ProviderError } from "../../../contract/errors.ts";
import type { Adapter, AdapterContext, Call, ExecStreams } from "../../../contract/port.ts";
import type { Exit } from "../../../schemas/core.ts";
import type { Description } from "../../../schemas/description.ts";

const LATE_MS = 300;
const exited: Exit = { kind: "exited", code: 0 };

export const description: Description = {
  contract: 1,
  provider: { name: "toy", version: "1" },
  adapter: { name: "toy", version: "1" },
  target: {},
  boundary: "process",
  ownership: "client-id",
  capabilities: {
    files: { atomic: true, parents: "made", mode: false, links: "refused" },
    stdin: {},
    network: { siblings: "undeclared", inbound: "undeclared" },
    backgroundProcesses: { afterExec: "undeclared" },
    signalForm: "undeclared",
    listsEnded: false,
    listsPaused: false,
  },
  claims: {},
  waits: {},
  quotas: {},
  cost: {},
  guest: { shell: "none", tools: [], workdir: "/", user: "toy" },
  options: { type: "object" },
  localState: [],
  ephemeral: true,
};

interface Running {
  readonly argument: number;
  readonly streams: ExecStreams;
  readonly call: Call;
  readonly context: AdapterContext;
}

/** Bytes that `flood` was allowed to send, over all its calls. */
let flooded = 0;

const COMMANDS: Record<string, (running: Running) => Promise<void>> = {
  /** Argument: how many bytes. */
  async flood({ argument, streams, call }) {
    const chunk = new Uint8Array(128 * 1024).fill(97);
    for (let left = argument; left > 0 && !call.signal.aborted; left -= chunk.length) {
      await streams.output("stdout", chunk.subarray(0, Math.min(left, chunk.length)));
      flooded += chunk.length;
    }
  },
  flooded: ({ streams }) => streams.output("stdout", Buffer.from(String(flooded))),
  memory: ({ streams }) => streams.output("stdout", Buffer.from(String(process.resourceUsage().maxRSS))),
  async cat({ streams }) {
    for await (const chunk of streams.input ?? []) await streams.output("stdout", chunk);
  },
  async count({ streams }) {
    let bytes = 0;
    for await (const chunk of streams.input ?? []) bytes += chunk.length;
    await streams.output("stdout", Buffer.from(String(bytes)));
  },
  /** Until it is cancelled. */
  wait: ({ call }) =>
    new Promise((_, reject) => call.signal.addEventListener("abort", () => reject(call.signal.reason as Error))),
  never: () => new Promise(() => {}),
  /** Answers as if nothing were, some time after it was cancelled. */
  async late({ call }) {
    await new Promise((resolve) => call.signal.addEventListener("abort", resolve));
    await pause(LATE_MS);
  },
  async unawaited({ streams }) {
    void streams.output("stdout", new Uint8Array(100_000).fill(97));
    void streams.output("stdout", new Uint8Array(100_000).fill(98));
  },
  async environment({ streams }) {
    await streams.output("stdout", Buffer.from(JSON.stringify(process.env)));
  },
  async print({ streams }) {
    // oxlint-disable-next-line no-console -- what an adapter must not be able to do is the test
    console.log("printed by console");
    process.stdout.write("printed to stdout\n");
    await streams.output("stdout", Buffer.from("done"));
  },
  async secret({ context, streams }) {
    context.secret("hunter2");
    await streams.output("stdout", Buffer.from("hunter2"));
  },
  throw: () => Promise.reject(new Error("something broke")),
  refuse: () => Promise.reject(new ProviderError("quota-exceeded", "no more", { definite: false })),
  die: async () => process.exit(7),
};

export default function openToy(context: AdapterContext): Adapter {
  if (context.options["broken"] !== undefined) throw new ProviderError("unauthenticated", "no key");
  const files = new Map<string, Uint8Array>();
  const live = new Set<string>();
  return {
    describe: async () => ({ ...description, options: { given: context.options } }),
    check: async () => ({ ready: true, problems: [] }),
    async create({ attempt }) {
      live.add(attempt);
      return { id: attempt as string as never };
    },
    observe: async ({ id }) => ({ state: live.has(id) ? "running" : "absent", native: "toy" }),
    list: async () => ({
      items: [...live].map((id) => ({ id: id as never, state: "running" as const })),
      complete: true,
    }),
    async exec({ command }, streams, call) {
      const [name = "", argument = "0"] = "argv" in command ? command.argv : [];
      const run = COMMANDS[name];
      if (run === undefined) throw new ProviderError("invalid-argument", `no command ${name}`);
      await run({ argument: Number(argument), streams, call, context });
      return { exit: exited };
    },
    async destroy({ id }) {
      live.delete(id);
      return {};
    },
    close: async () => context.log("toy closed"),
    files: {
      async write({ path }, content) {
        const chunks: Uint8Array[] = [];
        for await (const chunk of content) chunks.push(chunk);
        files.set(path, Buffer.concat(chunks));
        return { bytes: files.get(path)?.length ?? 0 };
      },
      async read({ path }, output) {
        const content = files.get(path);
        if (content === undefined) throw new ProviderError("not-found", path);
        await output(content);
        return { bytes: content.length };
      },
      list: async () => ({ entries: [], complete: true }),
      stat: async ({ path }) => ({ kind: "file", size: files.get(path)?.length ?? 0, mode: 0o644 }),
      remove: async () => ({}),
      makeDirectory: async () => ({}),
    },
  };
}
