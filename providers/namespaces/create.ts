/** Makes a sandbox: record, lease, then launch.pl in the new cgroup. What fails is undone before the error is told. */
import { randomBytes } from "node:crypto";
import { ProviderError } from "../../contract/errors.ts";
import type { Call } from "../../contract/port.ts";
import type { SandboxId } from "../../schemas/core.ts";
import type { Spec } from "../../schemas/messages.ts";
import { cgroupPath, firstUid, freeSlot, kill, lease } from "./cgroup.ts";
import { removeAll } from "./destroy.ts";
import { readAll, startHelper } from "./helper.ts";
import { self } from "./host.ts";
import type { Host } from "./provider.ts";
import { refuseUnknown, validEnv, validLabels } from "./validate.ts";

/** 80 random bits. */
const newId = (): string => {
  const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
  return `ns-${Array.from(randomBytes(16), (byte) => alphabet[byte & 31]).join("")}`;
};

const SPEC_MEMBERS = ["env", "labels"] as const;
const NOT_DECLARED = [
  "extra",
  "name",
  "image",
  "template",
  "command",
  "egress",
  "ttlSeconds",
  "idempotencyKey",
  "region",
  "resources",
] as const;

/** Errors: `invalid-argument` and `unsupported` before any effect, `quota-exceeded`, `cancelled`, `internal`. */
export async function create(host: Host, spec: Spec, call: Call): Promise<{ id: SandboxId }> {
  refuseUnknown("spec", spec, SPEC_MEMBERS, NOT_DECLARED);
  const labels = validLabels(spec.labels ?? {});
  const env = validEnv("spec.env", spec.env ?? {});
  if (call.signal.aborted) throw new ProviderError("cancelled", "before anything was made", { definite: true });
  const sandbox = await takeSlot(host, { labels, env });
  try {
    await launch(host, sandbox, call.signal);
  } catch (error) {
    await undo(host, sandbox);
    throw error;
  }
  return { id: sandbox.id as SandboxId };
}

interface Leased {
  readonly id: string;
  readonly slot: number;
}

/** A record and a lease of one slot. Another process may take the slot in between: then again, under another id. */
async function takeSlot(
  host: Host,
  wanted: { labels: Record<string, string>; env: Record<string, string> },
): Promise<Leased> {
  for (;;) {
    const slot = freeSlot(host.cgroupRoot);
    if (slot === undefined) throw new ProviderError("quota-exceeded", "all ranges of user ids are in use");
    const sandbox = { id: newId(), slot };
    host.records.add({ ...sandbox, ...wanted, creator: self(), created: new Date().toISOString() });
    let leased = false;
    try {
      leased = lease(host.cgroupRoot, sandbox);
    } finally {
      if (!leased) await undo(host, sandbox);
    }
    if (leased) return sandbox;
  }
}

/** What is not undone stays listed, and `destroy` tries again; the first error is the one to tell. */
async function undo(host: Host, sandbox: Leased): Promise<void> {
  host.records.markEnding(sandbox.id);
  await removeAll(host, sandbox).catch((left: unknown) => host.log(`${sandbox.id}: not undone: ${String(left)}`));
}

async function launch(host: Host, sandbox: Leased, signal: AbortSignal): Promise<void> {
  const cgroup = cgroupPath(host.cgroupRoot, sandbox);
  // A remover that saw no cgroup has marked the record before it looked: one of us two sees the other.
  if (host.records.read(sandbox.id)?.ending !== false) throw ended(sandbox.id);
  const args = [sandbox.id, String(firstUid(sandbox.slot)), cgroup, host.records.folder(sandbox.id)];
  const child = startHelper("launch.pl", args, ["ignore", "ignore", "pipe", "pipe"]);
  const stop = () => kill(cgroup);
  signal.addEventListener("abort", stop, { once: true });
  try {
    const [errors, report] = await Promise.all([readAll(child, 2), readAll(child, 3)]);
    if (errors !== "") host.log(errors.trimEnd());
    if (signal.aborted) throw new ProviderError("cancelled", "cancelled while it was made, and removed again");
    if (report === "ready\n") return;
    if (host.records.read(sandbox.id)?.ending !== false) throw ended(sandbox.id);
    throw new ProviderError("internal", report.replace(/^fault /, "").trim() || "the maker ended without a word");
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const ended = (id: string) =>
  new ProviderError("unavailable", `${id} was destroyed while it was made`, { retryable: false });
