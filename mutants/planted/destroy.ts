import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ProviderError } from "../../contract/errors.ts";
import { ATTEMPT_LABEL, BYSTANDER_LABEL } from "../../contract/ownership.ts";
import type { Adapter, Call } from "../../contract/port.ts";
import type { SandboxId } from "../../schemas/core.ts";
import type { Command } from "../../schemas/messages.ts";
import type { Mutant } from "../mutant.ts";
import { remembering } from "../remembering.ts";

/** Ends by itself, so that a mutant leaves nothing for long, but outlives every wait of a run. */
const ORPHAN_SECONDS = "40";

export const destroyMutants: readonly Mutant[] = [
  {
    id: "destroy-matches-wildcard-ids",
    fault: "an unknown id stands for whatever sandbox lives",
    spoilsCleanUp: true,
    expected: ["lifecycle.unknown-id-definite"],
    also: [
      "lifecycle.restart-recovers",
      "lifecycle.destroy-ends",
      "lifecycle.destroy-truthful",
      "lifecycle.create-failed-clean",
      "lifecycle.lost-create-found",
      "lifecycle.create-visible",
    ],
    faultRows: ["LC-20"],
    plant: (honest) => {
      const resolve = async (id: SandboxId, call: Call) => {
        if ((await honest.observe({ id }, call)).state === "running") return id;
        const { items } = await honest.list({}, call);
        return items.find(({ state }) => state === "running")?.id ?? id;
      };
      return {
        ...honest,
        observe: async ({ id }, call) => honest.observe({ id: await resolve(id, call) }, call),
        exec: async (params, streams, call) =>
          honest.exec({ ...params, id: await resolve(params.id, call) }, streams, call),
      };
    },
  },
  {
    id: "destroy-acknowledged-only",
    fault: "destroy answers, and the sandbox lives on until the adapter is closed",
    spoilsCleanUp: true,
    expected: ["lifecycle.destroy-ends"],
    also: [
      "lifecycle.restart-recovers",
      "lifecycle.destroy-stops-processes",
      "lifecycle.destroy-truthful",
      "lifecycle.lost-create-found",
      "lifecycle.create-failed-clean",
      "lifecycle.unknown-id-definite",
      "exec.no-forged-exit",
      "residue.inventory",
      "residue.ended-natively",
      "residue.processes",
      "residue.local-state",
      "residue.after-partial-failure",
      "adapter.definite-honest",
    ],
    faultRows: ["LC-07"],
    plant: (honest) => ({ ...honest, destroy: () => Promise.resolve({}) }),
  },
  {
    id: "destroy-leaves-processes",
    fault: "what was started in the background outlives the sandbox",
    spoilsCleanUp: true,
    expected: ["lifecycle.destroy-stops-processes"],
    also: [
      "lifecycle.restart-recovers",
      "lifecycle.destroy-truthful",
      "residue.inventory",
      "residue.ended-natively",
      "residue.processes",
      "residue.after-partial-failure",
      "lifecycle.create-failed-clean",
    ],
    faultRows: ["LC-29"],
    plant: (honest) => ({
      ...honest,
      exec: (params, streams, call) => {
        const token = plantedToken(params.command);
        if (token !== undefined)
          orphan("unshare", ["--pid", "--fork", "--kill-child", "sh", "-c", `sleep ${ORPHAN_SECONDS}; :`, token]);
        return honest.exec(params, streams, call);
      },
    }),
  },
  {
    id: "destroy-errors-when-repeated",
    fault: "destroying what is gone is a conflict",
    spoilsCleanUp: true,
    expected: ["lifecycle.destroy-idempotent"],
    also: [],
    faultRows: [],
    plant: (honest) => ({
      ...honest,
      destroy: async (params, call) => {
        try {
          return await honest.destroy(params, call);
        } catch (error) {
          if (error instanceof ProviderError && error.code === "not-found")
            throw new ProviderError("conflict", "already ending", { cause: error });
          throw error;
        }
      },
    }),
  },
  {
    id: "destroy-swallows-errors",
    fault: "destroy of a sandbox that an earlier process made answers ok and does nothing",
    spoilsCleanUp: true,
    expected: ["lifecycle.destroy-truthful"],
    also: [
      "lifecycle.destroy-ends",
      "lifecycle.destroy-stops-processes",
      "lifecycle.lost-create-found",
      "lifecycle.create-failed-clean",
      "lifecycle.restart-recovers",
      "lifecycle.no-phantom",
      "residue.inventory",
      "residue.ended-natively",
      "residue.processes",
      "residue.local-state",
      "residue.after-partial-failure",
    ],
    faultRows: ["LC-07"],
    plant: (honest) => {
      const { own, create } = remembering(honest);
      return {
        ...honest,
        create,
        destroy: (params, call) => (own.has(params.id) ? honest.destroy(params, call) : Promise.resolve({})),
      };
    },
  },
  {
    id: "destroy-takes-the-bystander",
    fault: "destroy removes every sandbox that is not the run's own too",
    expected: ["lifecycle.bystander-safe"],
    also: ["lifecycle.restart-recovers"],
    faultRows: ["LC-30"],
    plant: (honest) => ({
      ...honest,
      destroy: async (params, call) => {
        const { items } = await honest.list({}, call);
        for (const { id, labels } of items) {
          if (labels?.[BYSTANDER_LABEL] !== undefined && id !== params.id) await honest.destroy({ id }, call);
        }
        return honest.destroy(params, call);
      },
    }),
  },
  {
    id: "list-forgets-over-restart",
    fault: "only sandboxes that this process made are listed",
    spoilsCleanUp: true,
    expected: ["lifecycle.restart-recovers"],
    also: [
      "lifecycle.create-visible",
      "lifecycle.lost-create-found",
      "lifecycle.create-failed-clean",
      "residue.after-partial-failure",
      "residue.inventory",
      "residue.processes",
      "residue.local-state",
    ],
    faultRows: ["LC-03"],
    plant: (honest) => {
      const { own, create } = remembering(honest);
      return {
        ...honest,
        create,
        list: async (params, call) => {
          const { items, complete } = await honest.list(params, call);
          return { items: items.filter(({ id }) => own.has(id)), complete };
        },
      };
    },
  },
  {
    id: "destroy-only-hides",
    fault: "a destroyed sandbox is hidden from every answer and lives on",
    spoilsCleanUp: true,
    expected: ["residue.ended-natively", "residue.inventory"],
    also: [
      "lifecycle.destroy-stops-processes",
      "lifecycle.destroy-truthful",
      "lifecycle.restart-recovers",
      "lifecycle.lost-create-found",
      "lifecycle.create-failed-clean",
      "exec.no-forged-exit",
      "residue.processes",
      "residue.local-state",
      "residue.after-partial-failure",
      "adapter.definite-honest",
    ],
    faultRows: ["LC-29"],
    plant: hiding,
  },
  {
    id: "destroy-leaves-a-process-on-the-host",
    fault: "a helper process on the runner outlives its sandbox",
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
        orphan("sleep", [ORPHAN_SECONDS]);
        return honest.create(params, call);
      },
    }),
  },
  {
    id: "destroy-leaves-a-volume",
    fault: "a mounted volume of the sandbox stays on the host",
    spoilsCleanUp: true,
    expected: ["residue.companions"],
    also: [
      "residue.processes",
      "residue.local-state",
      "residue.after-partial-failure",
      "lifecycle.create-failed-clean",
      "adapter.definite-honest",
    ],
    faultRows: ["LC-03"],
    plant: (honest) => ({
      ...honest,
      create: async (params, call) => {
        const attempt = params.spec.labels?.[ATTEMPT_LABEL];
        if (attempt !== undefined) {
          const volume = `/tmp/sandproof-mutant-${attempt}`;
          mkdirSync(volume);
          execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "sandproof-mutant", volume]);
        }
        return honest.create(params, call);
      },
    }),
  },
  {
    id: "destroy-leaves-local-state",
    fault: "the adapter keeps a file for each sandbox",
    spoilsCleanUp: true,
    expected: ["residue.local-state"],
    also: ["residue.after-partial-failure", "lifecycle.create-failed-clean"],
    faultRows: [],
    plant: (honest) => ({
      ...honest,
      create: async (params, call) => {
        const made = await honest.create(params, call);
        const folder = join(process.env["XDG_CACHE_HOME"] ?? "/tmp", "sandproof-mutant");
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, made.id), "known host\n");
        return made;
      },
    }),
  },
];

/** A process that nobody will wait for. */
function orphan(program: string, args: readonly string[]): void {
  spawn(program, args, { detached: true, stdio: "ignore" }).unref();
}

/** The token of a command that starts a background process; it is the last argument. */
function plantedToken(command: Command): string | undefined {
  if (!("argv" in command) || !command.argv[2]?.includes("sleep 3600")) return undefined;
  return command.argv.at(-1);
}

function hiding(honest: Adapter): Adapter {
  const hidden = new Set<string>();
  const gone = () => new ProviderError("not-found", "no such sandbox");
  return {
    ...honest,
    destroy: ({ id }) => {
      hidden.add(id);
      return Promise.resolve({});
    },
    observe: ({ id }, call) =>
      hidden.has(id) ? Promise.resolve({ state: "absent", native: "absent" }) : honest.observe({ id }, call),
    exec: (params, streams, call) =>
      hidden.has(params.id) ? Promise.reject(gone()) : honest.exec(params, streams, call),
    list: async (params, call) => {
      const { items, complete } = await honest.list(params, call);
      return { items: items.filter(({ id }) => !hidden.has(id)), complete };
    },
  };
}
