/** The embedded providers, and how an adapter is started by name. */
import { existsSync, readdirSync } from "node:fs";
import { adapterModule } from "../wire/serve-main.ts";
import { binFile } from "./package.ts";
import { didYouMean, UsageError } from "./usage.ts";

const providerNames = (): readonly string[] =>
  readdirSync(new URL("../providers/", import.meta.url))
    .filter((name) => existsSync(adapterModule(name)))
    .sort();

/** Throws `UsageError` unless `subject` is an embedded provider or the path of a module. */
export function requireAdapter(subject: string): void {
  if (existsSync(adapterModule(subject))) return;
  const names = providerNames();
  const hint = didYouMean(subject, names) ?? `Embedded providers: ${names.join(", ")}.`;
  throw new UsageError(
    `There is no provider or adapter module \`${subject}\`.`,
    `${hint} Or give the path of a module.`,
  );
}

/** The program and arguments that serve `subject` as a process of its own. */
export const serveArgv = (subject: string): readonly string[] => [
  process.execPath,
  binFile(),
  "adapter",
  "serve",
  subject,
];
