/** Reads of all sandboxes and of one: the record, and what the kernel shows now. */
import type { SandboxId } from "../../schemas/core.ts";
import type { ListItem, Observation, Result } from "../../schemas/messages.ts";
import { cgroupsOf } from "./cgroup.ts";
import { type Host, stateOf } from "./provider.ts";

const hasAll = (labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);

/** Always complete: the folder is read as a whole, so there are no pages. */
export function list(host: Host, wanted: Readonly<Record<string, string>> = {}): { items: ListItem[]; complete: true } {
  const records = host.records.all().filter((record) => hasAll(record.labels, wanted));
  const items = records.map((record) => ({
    id: record.id as SandboxId,
    state: stateOf(host, record).state,
    labels: { ...record.labels },
  }));
  return { items, complete: true };
}

export function observe(host: Host, id: string): Observation {
  const record = host.records.read(id);
  if (record === undefined) return { state: "absent", native: "absent" };
  const { state } = stateOf(host, record);
  const native = {
    running: "init lives",
    pending: "being made",
    stopping: "being removed",
    terminal: "init has ended",
  };
  const found = { state, native: native[state], labels: { ...record.labels } };
  return state === "terminal" ? { ...found, endReason: record.ending ? "destroy" : "unknown" } : found;
}

/** Sandboxes of this state folder and the cgroups that they have on the host. */
export function nativeInventory(host: Host): Result<"inventory.native"> {
  const records = host.records.all();
  const items = records.flatMap((record) => [
    { kind: "sandbox", identity: record.id, state: stateOf(host, record).state },
    ...cgroupsOf(host.cgroupRoot, record).map((path) => ({ kind: "cgroup", identity: path, ownedBy: record.id })),
  ]);
  return { items, complete: true };
}
