import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const PERL = "/usr/bin/perl";
const REAPER = fileURLToPath(new URL("reaper.pl", import.meta.url));

/**
 * The command behind a child subreaper, so that orphans of an adapter stay its descendants (see reaper.pl); the command itself
 * where there is no perl, or where the program cannot be started: the reason is then told by the start.
 */
export function reaped(argv: readonly string[], path: string): readonly string[] {
  const [program = ""] = argv;
  return process.platform === "linux" && existsSync(PERL) && isExecutable(program, path)
    ? [PERL, REAPER, ...argv]
    : argv;
}

const isExecutable = (program: string, path: string): boolean =>
  program.includes("/")
    ? canExecute(program)
    : path.split(delimiter).some((folder) => canExecute(join(folder, program)));

function canExecute(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Whatever the reason is, the start itself will tell it.
    return false;
  }
}
