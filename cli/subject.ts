/** Whom a run is about: an embedded provider, or the program after `--`. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { adapterModule } from "../wire/serve-main.ts";
import { requireAdapter, serveArgv } from "./providers.ts";
import { UsageError } from "./usage.ts";

export type Subject = {
  /** How messages call it. */
  readonly name: string;
  /** Program and arguments of the adapter process. */
  readonly argv: readonly string[];
  /** Files or folders that make up the adapter, for its digest. */
  readonly sources: readonly string[];
} & ({ readonly kind: "provider" } | { readonly kind: "program" });

export const DEFAULT_PROVIDER = "namespaces";

export function resolveSubject(
  name: string | undefined,
  adapter: boolean,
  rest: readonly string[] | undefined,
): Subject {
  if (adapter) {
    if (name !== undefined)
      throw new UsageError(`Both the provider \`${name}\` and --adapter were given.`, "Give one of them.");
    const [program] = rest ?? [];
    if (rest === undefined || program === undefined) {
      throw new UsageError(
        "--adapter stands without a program.",
        "Write it last on the line: --adapter -- python3 my_adapter.py",
      );
    }
    return { kind: "program", name: program, argv: rest, sources: rest.filter((word) => existsSync(word)) };
  }
  if (rest !== undefined)
    throw new UsageError(
      "There is a program after `--`, but no --adapter.",
      "Write it as --adapter -- program arguments.",
    );
  const provider = name ?? DEFAULT_PROVIDER;
  requireAdapter(provider);
  return {
    kind: "provider",
    name: provider,
    argv: serveArgv(provider),
    sources: [dirname(fileURLToPath(adapterModule(provider)))],
  };
}
