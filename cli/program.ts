/** Turns the command table into a parser. */
import { Command, Option } from "commander";
import { type CommandEntry, type CommandInput, GROUPS, type OptionEntry, type OptionValue } from "./commands.ts";

/** What the command line asks for; `undefined` while help or version answered it. */
export interface Parsed {
  readonly entry: CommandEntry;
  readonly input: CommandInput;
}

interface Sink {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

const gather = (value: string, before: readonly string[]): readonly string[] => [...before, value];

function toOption({ flags, description, choices, repeatable }: OptionEntry): Option {
  const option = new Option(flags, description);
  if (choices !== undefined) option.choices([...choices]);
  if (repeatable) option.default([], "none").argParser(gather);
  return option;
}

/** The command of the first words of a name, made where it is not there yet: `adapter` of `adapter serve`. */
function group(parent: Command, words: readonly string[]): Command {
  return words.reduce(
    (at, word) =>
      at.commands.find((known) => known.name() === word) ?? at.command(word).description(GROUPS[word] ?? word),
    parent,
  );
}

/**
 * Builds the parser. `commander` writes help to `sink` and throws `CommanderError` for help, version and mistakes;
 * `onCommand` gets what was asked for.
 */
export function buildProgram(
  commands: readonly CommandEntry[],
  versionText: string,
  sink: Sink,
  onCommand: (parsed: Omit<Parsed, "input"> & { readonly input: Omit<CommandInput, "rest"> }) => void,
): Command {
  const program = new Command("sandproof")
    .description("Conformance tests and proof for sandbox providers.")
    .version(versionText, "-V, --version", "print the version")
    .option("--debug", "print stack traces")
    .exitOverride()
    // A mistake is printed once, by main, together with the next step.
    .configureOutput({ writeOut: sink.out, writeErr: sink.err, outputError: () => {} });

  for (const entry of commands) {
    const words = entry.name.split(" ");
    const command = group(program, words.slice(0, -1))
      .command([words.at(-1), entry.args].filter(Boolean).join(" "))
      .description(entry.summary)
      .allowExcessArguments(false)
      .option("--debug", "print stack traces");
    for (const option of entry.options ?? []) command.addOption(toOption(option));
    command.action(() => {
      const options = command.optsWithGlobals<Record<string, OptionValue>>();
      onCommand({ entry, input: { args: command.args, options, debug: options.debug === true } });
    });
  }
  return program;
}
