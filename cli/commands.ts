/** The one table of commands: help, parsing and dispatch come from it. A command is loaded only when it runs. */

export type OptionValue = string | boolean | readonly string[] | undefined;

export interface CommandInput {
  readonly args: readonly string[];
  /** By camelCase name of the long flag. A flag that may be repeated is a list, empty when it was not given. */
  readonly options: Readonly<Record<string, OptionValue>>;
  /** What stood after `--`. */
  readonly rest: readonly string[] | undefined;
  readonly debug: boolean;
}

/** Resolves to the exit code. Throws `UsageError` before anything is made. */
export type RunCommand = (input: CommandInput) => Promise<number>;

export interface OptionEntry {
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly repeatable?: true;
}

export interface CommandEntry {
  /** Words of the command, such as `adapter serve`. */
  readonly name: string;
  readonly summary: string;
  /** In commander's notation: `<required> [optional]`. */
  readonly args?: string;
  readonly options?: readonly OptionEntry[];
  /** The command takes an argument vector after `--`. */
  readonly takesRest?: true;
  readonly load: () => Promise<{ readonly run: RunCommand }>;
}

/** What the commands with a common first word are about. */
export const GROUPS: Readonly<Record<string, string>> = { adapter: "tools for authors of adapters" };

import { RUN_OPTIONS, SELECT_OPTIONS } from "./run-options.ts";

const json: OptionEntry = { flags: "--json", description: "print JSON" };

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "prove",
    summary: "create, use, destroy, fail on purpose, and show that nothing is left (default: namespaces)",
    args: "[provider|module]",
    options: RUN_OPTIONS,
    takesRest: true,
    load: () => import("./prove.ts"),
  },
  {
    name: "run",
    summary: "run a profile or a selection of checks",
    args: "[provider|module]",
    options: [...SELECT_OPTIONS, ...RUN_OPTIONS],
    takesRest: true,
    load: () => import("./run.ts"),
  },
  {
    name: "analyze",
    summary: "judge a stored run again, offline",
    args: "<run>",
    options: [json],
    load: () => import("./analyze.ts"),
  },
  {
    name: "sweep",
    summary: "remove what dead runs left, by journal and label",
    options: [
      { flags: "--run <id>", description: "only this run" },
      { flags: "--dry-run", description: "say what would be removed" },
      json,
    ],
    load: () => import("./sweep.ts"),
  },
  {
    name: "list",
    summary: "list the checks with level, profile and whether they are built",
    options: [
      {
        flags: "--profile <name>",
        description: "only the checks of this profile",
        choices: ["prove", "core", "full"],
      },
      json,
    ],
    load: () => import("./list.ts"),
  },
  {
    name: "doctor",
    summary: "say whether this machine can run a provider, and how to fix what is missing",
    args: "[provider|module]",
    options: [json],
    load: () => import("./doctor.ts"),
  },
  {
    name: "adapter serve",
    summary: "serve a TypeScript adapter on stdin and stdout",
    args: "<module|provider>",
    load: () => import("./adapter-serve.ts"),
  },
];
