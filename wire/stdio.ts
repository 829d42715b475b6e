/** Serves an adapter on this process's own stdin and stdout, which then belong to the wire alone. */
import { Console } from "node:console";
import type { OpenAdapter } from "../contract/port.ts";
import { serve } from "./server.ts";

/**
 * Takes stdout away from everybody else: `console` and `process.stdout` write to stderr from now on.
 * Called before an adapter module is imported, since a module may print while it is loaded.
 */
export function takeStdio() {
  const { stdin: input, stdout: output } = process;
  Object.defineProperty(process, "stdout", { value: process.stderr, configurable: true });
  globalThis.console = new Console(process.stderr, process.stderr);
  return { input, output, log: (message: string) => void process.stderr.write(`${message}\n`) };
}

/** Resolves when the harness ended the adapter. */
export const serveStdio = (open: OpenAdapter, stdio = takeStdio()): Promise<void> => serve(open, stdio);
