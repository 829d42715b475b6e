import type { RunCommand } from "./commands.ts";
import { runAndSeal } from "./run-and-seal.ts";

export const run: RunCommand = (input) => runAndSeal("run", input);
