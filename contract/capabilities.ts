import type { Capabilities } from "../schemas/description.ts";
import type { Method } from "../schemas/messages.ts";

/** Capabilities that a provider may leave out, and the wire methods each one brings (contract §2). */
export const CAPABILITY_METHODS = {
  files: ["files.write", "files.read", "files.list", "files.stat", "files.remove", "files.makeDirectory"],
  reattach: ["exec.attach"],
  pause: ["pause.pause", "pause.resume"],
  snapshots: ["snapshots.take", "snapshots.restore", "snapshots.list", "snapshots.remove"],
  fork: ["fork"],
  egress: ["egress.set", "egress.get"],
  lifetime: ["lifetime.extend"],
  ports: ["ports.expose", "ports.close"],
  inventory: ["inventory.native"],
} as const satisfies Partial<Record<keyof Capabilities, readonly Method[]>>;

/** A capability key that a provider may declare. */
export type Capability = keyof Capabilities;
