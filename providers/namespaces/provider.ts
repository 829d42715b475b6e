/** What every operation works with. */
import { ProviderError } from "../../contract/errors.ts";
import { cgroupPath, isPopulated } from "./cgroup.ts";
import { lives, type ProcessIdentity } from "./host.ts";
import type { Records, SandboxRecord } from "./record.ts";

export interface Host {
  readonly cgroupRoot: string;
  readonly records: Records;
  log(message: string): void;
}

export type State =
  | { readonly state: "running"; readonly init: ProcessIdentity }
  | { readonly state: "pending" | "stopping" | "terminal" };

/** The state of one sandbox as the kernel shows it now. */
export function stateOf(host: Host, record: SandboxRecord): State {
  const cgroup = cgroupPath(host.cgroupRoot, record);
  if (record.ending) return { state: isPopulated(cgroup) ? "stopping" : "terminal" };
  const init = host.records.init(record.id);
  if (init === undefined) return { state: lives(record.creator) || isPopulated(cgroup) ? "pending" : "terminal" };
  // After a reboot the number may be another's, but the cgroup is not there any more.
  return isPopulated(cgroup) && lives(init) ? { state: "running", init } : { state: "terminal" };
}

/** Errors: `not-found` when there is none, or it is not running. */
export function running(host: Host, id: string): { record: SandboxRecord; init: ProcessIdentity } {
  const record = host.records.read(id);
  const found = record === undefined ? undefined : stateOf(host, record);
  if (record === undefined || found?.state !== "running")
    throw new ProviderError("not-found", `no running sandbox ${id}`);
  return { record, init: found.init };
}
