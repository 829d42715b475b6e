/** Ends a sandbox and removes all of it. Any number of processes may do so at once, and again after one of them died. */
import { ProviderError } from "../../contract/errors.ts";
import { cgroupPath, killAndRemove, REMOVE_MS, returnLease } from "./cgroup.ts";
import type { Host } from "./provider.ts";

/** Errors: `not-found`; `unavailable` when processes did not end in time (the record stays). */
export async function destroy(host: Host, id: string): Promise<void> {
  const record = host.records.read(id);
  if (record === undefined) throw new ProviderError("not-found", `no sandbox ${id}`);
  host.records.markEnding(id);
  await removeAll(host, record);
}

/** Also where the record is gone already. */
export async function removeAll(host: Host, sandbox: { readonly id: string; readonly slot: number }): Promise<void> {
  if (!(await killAndRemove(cgroupPath(host.cgroupRoot, sandbox)))) {
    throw new ProviderError("unavailable", `processes of ${sandbox.id} live on after ${REMOVE_MS} ms`);
  }
  returnLease(host.cgroupRoot, sandbox.slot);
  host.records.remove(sandbox.id);
}
