/** The embedded provider: sandboxes made of Linux namespaces on this host, without daemon or account. See README.md. */
import { ProviderError } from "../../contract/errors.ts";
import type { Adapter, AdapterContext } from "../../contract/port.ts";
import { check } from "./check.ts";
import { create } from "./create.ts";
import { describe } from "./description.ts";
import { destroy } from "./destroy.ts";
import { exec } from "./exec.ts";
import { filesPort } from "./files.ts";
import { cgroupRoot, stateHome } from "./host.ts";
import { list, nativeInventory, observe } from "./list.ts";
import type { Host } from "./provider.ts";
import { Records } from "./record.ts";

export default function open(context: AdapterContext): Adapter {
  const root = cgroupRoot();
  const host = (): Host => {
    if (root === undefined) throw new ProviderError("unavailable", "cgroup v2 is not mounted", { definite: true });
    return { cgroupRoot: root, records: new Records(stateHome()), log: (message) => context.log(message) };
  };
  return {
    describe: async () => describe(),
    check: () => check(root),
    create: async ({ spec }, call) => create(host(), spec, call),
    observe: async ({ id }) => observe(host(), id),
    list: async ({ labels }) => list(host(), labels),
    exec: async ({ id, command }, streams, call) => ({ exit: await exec(host(), id, command, streams, call) }),
    destroy: async ({ id }) => {
      await destroy(host(), id);
      return {};
    },
    close: async () => {},
    files: filesPort(host),
    inventory: { native: async () => nativeInventory(host()) },
  };
}
