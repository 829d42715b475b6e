/** `node wire/serve-main.ts <module path or provider name>`: a TypeScript adapter as a process. */
import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { OpenAdapter } from "../contract/port.ts";
import { serveStdio, takeStdio } from "./stdio.ts";

/** A bare word is one of our own providers; anything with a dot or a slash is a path. */
export function adapterModule(subject: string): URL {
  if (/^[a-z0-9-]+$/.test(subject)) {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    return new URL(`../providers/${subject}/index.${extension}`, import.meta.url);
  }
  return pathToFileURL(resolve(subject));
}

/** Imports the default export of `subject` and serves it until the harness ends it. Rejects where there is none. */
export async function serveModule(subject: string): Promise<void> {
  const stdio = takeStdio();
  const module = (await import(adapterModule(subject).href)) as { default?: unknown };
  if (typeof module.default !== "function") throw new TypeError(`${subject} has no function as its default export`);
  await serveStdio(module.default as OpenAdapter, stdio);
}

// By real path: a package that is linked is started under one name and imported under another.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const fail = (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`, () =>
      process.exit(1),
    );
  };
  process.on("uncaughtException", fail);
  const subject = process.argv[2];
  if (subject === undefined) fail("usage: serve-main.ts <module path or provider name>");
  // What an adapter left open must not keep its process.
  else serveModule(subject).then(() => process.exit(0), fail);
}
