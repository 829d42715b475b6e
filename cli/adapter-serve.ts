/** Puts a TypeScript adapter on this process's stdin and stdout. */
import { serveModule } from "../wire/serve-main.ts";
import type { RunCommand } from "./commands.ts";
import { EXIT } from "./exit.ts";
import { requireAdapter } from "./providers.ts";
import { UsageError } from "./usage.ts";

export const run: RunCommand = async ({ args: [subject = ""] }) => {
  requireAdapter(subject);
  await serveModule(subject).catch((error: unknown) => {
    throw new UsageError(
      `${subject} cannot be served: ${error instanceof Error ? error.message : String(error)}.`,
      "An adapter module exports by default a function that takes a context and gives an adapter: see contract/port.ts.",
    );
  });
  // What an adapter left open must not keep its process.
  process.exit(EXIT.ok);
};
