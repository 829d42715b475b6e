/** What `describe` answers. Pure. */
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import type { Description } from "../../schemas/description.ts";
import { GUEST } from "./guest.ts";
import { MAX_LABEL_BYTES, MAX_LABELS } from "./validate.ts";

/** Programs of Debian's essential packages; the rest of the host's /usr is there too, but not promised. */
const TOOLS = [
  "sh",
  "awk",
  "base64",
  "cat",
  "chmod",
  "cp",
  "cut",
  "date",
  "dd",
  "env",
  "find",
  "grep",
  "head",
  "hostname",
  "id",
  "kill",
  "ln",
  "ls",
  "mkdir",
  "mkfifo",
  "mv",
  "od",
  "perl",
  "printf",
  "rm",
  "sed",
  "seq",
  "setsid",
  "sha256sum",
  "sleep",
  "sort",
  "stat",
  "tail",
  "tar",
  "tee",
  "timeout",
  "touch",
  "tr",
  "true",
  "uname",
  "wc",
  "xargs",
  "yes",
];

function packageVersion(): string {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) throw new Error("package.json of this package was not found");
  return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
}

export function describe(): Description {
  const version = packageVersion();
  return {
    contract: 1,
    provider: { name: "namespaces", version },
    adapter: { name: "namespaces", version },
    target: { endpointClass: "this-host" },
    boundary: "shared-kernel",
    ownership: "labels",
    capabilities: {
      labels: { maxKeys: MAX_LABELS, maxLength: MAX_LABEL_BYTES },
      files: { atomic: true, parents: "made", mode: true, links: "followed-inside" },
      stdin: {},
      hardening: { noNewPrivs: true, seccomp: true },
      inventory: { planes: ["sandbox", "cgroup"] },
      network: { siblings: "closed", inbound: "closed" },
      backgroundProcesses: { afterExec: "kept" },
      signalForm: "signal",
      listsEnded: true,
      listsPaused: false,
    },
    claims: {},
    waits: { createMs: 30_000, readyMs: 5_000, endedMs: 5_000, destroyMs: 20_000, listStaleMs: 100, settleMs: 250 },
    quotas: {},
    cost: { perSandboxHourUsd: 0 },
    guest: { shell: GUEST.shell, tools: TOOLS, workdir: GUEST.workdir, user: GUEST.user },
    options: { type: "object", additionalProperties: false },
    localState: [],
    ephemeral: false,
  };
}
