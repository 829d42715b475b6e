import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pause } from "../../contract/clock.ts";
import { ProviderError } from "../../contract/errors.ts";
import { ATTEMPT_LABEL, BYSTANDER_LABEL } from "../../contract/ownership.ts";
import type { Adapter } from "../../contract/port.ts";
import type { SandboxId } from "../../schemas/core.ts";
import type { Mutant } from "../mutant.ts";
import { remembering } from "../remembering.ts";

/** Longer than any first exec comes after its create, shorter than a person's patience. */
const NOT_READY_MS = 400;
/** Beyond the staleness that `namespaces` declares. */
const HIDDEN_MS = 1_500;
const NOBODY = "aaaaaaaaaaaaaaaa";

/** Forks twice, each time into a session of its own; ends by itself after every wait of a run. */
const DAEMON =
  'use POSIX; exit 0 if fork; POSIX::setsid(); exit 0 if fork; POSIX::setsid(); chdir "/"; exec "/bin/sleep", "40"';

const companionOf = (id: string): string => `/tmp/sandproof-mutant-${id}`;

export const createMutants: readonly Mutant[] = [
  {
    id: "create-acknowledged-before-ready",
    fault: "create answers while exec still refuses",
    expected: ["lifecycle.create-usable"],
    also: ["lifecycle.bystander-safe", "residue.inventory", "residue.processes"],
    faultRows: ["LC-36"],
    plant: (honest) => {
      const readyAt = new Map<string, number>();
      return {
        ...honest,
        create: async (params, call) => {
          const made = await honest.create(params, call);
          readyAt.set(made.id, Date.now() + NOT_READY_MS);
          return made;
        },
        exec: async (params, streams, call) => {
          if (Date.now() < (readyAt.get(params.id) ?? 0)) throw new ProviderError("conflict", "starting");
          return honest.exec(params, streams, call);
        },
      };
    },
  },
  {
    id: "create-recycles-ids",
    fault: "the id of an ended sandbox is given to the next one",
    spoilsCleanUp: true,
    expected: ["lifecycle.id-unique"],
    also: [
      "lifecycle.create-visible",
      "lifecycle.destroy-ends",
      "lifecycle.destroy-truthful",
      "lifecycle.no-duplicate",
      "lifecycle.restart-recovers",
      "lifecycle.lost-create-found",
      "lifecycle.create-failed-clean",
      "lifecycle.destroy-stops-processes",
      "files.round-trip",
      "files.visible-both-ways",
      "residue.ended-natively",
      "residue.after-partial-failure",
    ],
    faultRows: ["LC-30"],
    plant: recyclingIds,
  },
  {
    id: "create-hidden-from-list",
    fault: "a new sandbox is left out of lists for its first seconds",
    spoilsCleanUp: true,
    expected: ["lifecycle.create-visible"],
    also: ["lifecycle.no-phantom", "lifecycle.restart-recovers", "lifecycle.lost-create-found"],
    faultRows: [],
    plant: (honest) => {
      const madeAt = new Map<string, number>();
      return {
        ...honest,
        create: async (params, call) => {
          const made = await honest.create(params, call);
          madeAt.set(made.id, Date.now());
          return made;
        },
        list: async (params, call) => {
          const { items, complete } = await honest.list(params, call);
          return { items: items.filter(({ id }) => Date.now() - (madeAt.get(id) ?? 0) > HIDDEN_MS), complete };
        },
      };
    },
  },
  {
    id: "create-leaves-a-helper",
    fault: "create makes a helper sandbox that bears the run's label",
    spoilsCleanUp: true,
    expected: ["lifecycle.no-phantom"],
    also: ["lifecycle.create-failed-clean", "residue.after-partial-failure"],
    faultRows: ["LC-03"],
    plant: (honest) => ({
      ...honest,
      create: async (params, call) => {
        if (params.spec.labels?.[ATTEMPT_LABEL] !== undefined) {
          await honest.create(
            { ...params, spec: { ...params.spec, labels: { ...params.spec.labels, [ATTEMPT_LABEL]: NOBODY } } },
            call,
          );
        }
        return honest.create(params, call);
      },
    }),
  },
  {
    id: "create-retried-inside",
    fault: "create sends its request twice and answers with the second sandbox",
    spoilsCleanUp: true,
    expected: ["lifecycle.no-duplicate"],
    also: ["lifecycle.destroy-truthful", "residue.after-partial-failure"],
    faultRows: ["LC-01"],
    plant: (honest) => ({
      ...honest,
      create: async (params, call) => {
        if (params.spec.labels?.[BYSTANDER_LABEL] === undefined) await honest.create(params, call);
        return honest.create(params, call);
      },
    }),
  },
  {
    id: "create-makes-a-hidden-second",
    fault: "create makes a second sandbox that no list shows",
    spoilsCleanUp: true,
    expected: ["residue.inventory", "residue.processes"],
    also: [
      "residue.local-state",
      "residue.after-partial-failure",
      "lifecycle.create-failed-clean",
      "adapter.definite-honest",
    ],
    faultRows: ["LC-01"],
    plant: (honest) => ({
      ...honest,
      create: async (params, call) => {
        const made = await honest.create(params, call);
        const shown = process.env["XDG_STATE_HOME"] ?? "";
        process.env["XDG_STATE_HOME"] = join(shown, "hidden");
        const second = honest.create({ ...params, spec: {} }, call);
        process.env["XDG_STATE_HOME"] = shown;
        await second;
        return made;
      },
    }),
  },
  {
    id: "create-leaves-a-daemon",
    fault: "create starts a process that leaves session, parent and environment behind",
    spoilsCleanUp: true,
    expected: ["residue.processes"],
    also: [
      "residue.inventory",
      "residue.after-partial-failure",
      "lifecycle.create-failed-clean",
      "adapter.definite-honest",
    ],
    faultRows: ["LC-29"],
    plant: (honest) => ({
      ...honest,
      create: (params, call) => {
        spawn("perl", ["-e", DAEMON], { stdio: "ignore", env: {}, detached: true }).unref();
        return honest.create(params, call);
      },
    }),
  },
  {
    id: "create-labels-when-ready",
    fault: "labels are shown only for sandboxes whose create this process has answered",
    spoilsCleanUp: true,
    expected: ["lifecycle.lost-create-found"],
    also: ["lifecycle.create-failed-clean", "residue.after-partial-failure", "residue.local-state"],
    faultRows: ["LC-01"],
    plant: (honest) => {
      const { own, create } = remembering(honest);
      return {
        ...honest,
        create,
        list: async (params, call) => {
          const { items, complete } = await honest.list(params, call);
          return { items: items.map((item) => (own.has(item.id) ? item : { ...item, labels: {} })), complete };
        },
      };
    },
  },
  {
    id: "create-leaks-companion-on-failure",
    fault: "a volume that was made first stays when create does not finish",
    spoilsCleanUp: true,
    expected: ["lifecycle.create-failed-clean", "residue.after-partial-failure"],
    also: ["adapter.definite-honest", "residue.companions", "residue.local-state"],
    faultRows: ["LC-02", "LC-03"],
    plant: (honest) => ({
      ...honest,
      create: async (params, call) => {
        const companion = companionOf(params.attempt);
        mkdirSync(companion);
        await pause(NOT_READY_MS / 4);
        const made = await honest.create(params, call);
        rmSync(companion, { recursive: true });
        return made;
      },
    }),
  },
  {
    id: "create-cuts-env-at-newline",
    fault: "environment values end at their first newline",
    expected: ["lifecycle.env-delivered"],
    also: [],
    faultRows: ["EX-24"],
    plant: (honest) => ({
      ...honest,
      create: (params, call) => {
        const env = Object.fromEntries(
          Object.entries(params.spec.env ?? {}).map(([name, value]) => [name, value.split("\n")[0] ?? ""]),
        );
        return honest.create({ ...params, spec: { ...params.spec, env } }, call);
      },
    }),
  },
  {
    id: "create-passes-adapter-environment",
    fault: "the adapter's own environment is added to the sandbox's",
    expected: ["isolation.environment-clean"],
    also: ["lifecycle.env-delivered"],
    faultRows: [],
    plant: (honest) => ({
      ...honest,
      create: (params, call) => {
        const own = Object.entries(process.env).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value] as const],
        );
        const env = { ...Object.fromEntries(own.filter(([name]) => name !== "PATH")), ...params.spec.env };
        return honest.create({ ...params, spec: { ...params.spec, env } }, call);
      },
    }),
  },
];

/** Public ids stand for real ones; a public id whose sandbox was destroyed is used again. */
function recyclingIds(honest: Adapter): Adapter {
  const real = new Map<string, SandboxId>();
  const ended: SandboxId[] = [];
  const toReal = (id: SandboxId): SandboxId => real.get(id) ?? id;
  return {
    ...honest,
    create: async (params, call) => {
      const made = await honest.create(params, call);
      const id = ended.pop() ?? made.id;
      real.set(id, made.id);
      return { id };
    },
    observe: ({ id }, call) => honest.observe({ id: toReal(id) }, call),
    exec: (params, streams, call) => honest.exec({ ...params, id: toReal(params.id) }, streams, call),
    list: async (params, call) => {
      const { items, complete } = await honest.list(params, call);
      const shown = new Map([...real].map(([id, realId]) => [realId, id as SandboxId]));
      return { items: items.map((item) => ({ ...item, id: shown.get(item.id) ?? item.id })), complete };
    },
    destroy: async ({ id }, call) => {
      const done = await honest.destroy({ id: toReal(id) }, call);
      ended.push(id);
      return done;
    },
  };
}
