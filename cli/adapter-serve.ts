/** Puts a TypeScript adapter on this process's stdin and stdout. */
import { serveModule } from "../wire/serve-main.ts";
import type { RunCommand } from "./commands.ts";
import { EXIT } from "./exit.ts";
import { requireAdapter } from "./providers.ts";

export const run: RunCommand = async ({ args: [subject = ""] }) => {
  requireAdapter(subject);
  await serveModule(subject);
  // What an adapter left open must not keep its process.
  process.exit(EXIT.ok);
};
