/** The command line. Exit code 255 stands until a command has said otherwise, so that a crash is never read as a violation. */
import { CommanderError } from "commander";
import { COMMANDS } from "./commands.ts";
import { EXIT } from "./exit.ts";
import { version } from "./package.ts";
import { buildProgram, type Parsed } from "./program.ts";
import { UsageError } from "./usage.ts";

process.exitCode = EXIT.harnessError;

const debug = process.argv.includes("--debug");
const say = (text: string) => process.stderr.write(`${text}\n`);

/** A reader that left (`sandproof list | head`), or a terminal, must not end a run that has sandboxes to destroy. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
}

function tellCrash(thrown: unknown): void {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  say(`sandproof failed: ${error.message}`);
  say(
    debug ? (error.stack ?? "") : "That is a fault of this program, not a verdict. Again with --debug for the stack.",
  );
}

/** Splits at the first `--`: what follows is an argument vector of somebody else. */
function splitRest(argv: readonly string[]): { own: readonly string[]; rest: readonly string[] | undefined } {
  const at = argv.indexOf("--");
  return at === -1 ? { own: argv, rest: undefined } : { own: argv.slice(0, at), rest: argv.slice(at + 1) };
}

/** The command that the words name as far as they go, for a hint where its help is. */
function helpOf(own: readonly string[]): string {
  const line = own.join(" ");
  const entry = COMMANDS.find(({ name }) => line === name || line.startsWith(`${name} `));
  return `Run \`sandproof ${entry === undefined ? "" : `${entry.name} `}--help\` to see what there is.`;
}

/** What was asked for; `undefined` when help or version was the answer. */
function parse(argv: readonly string[]): Parsed | undefined {
  const { own, rest } = splitRest(argv);
  const out = (text: string) => process.stdout.write(text);
  const err = (text: string) => process.stderr.write(text);
  let parsed: Parsed | undefined;
  const program = buildProgram(COMMANDS, version(), { out, err }, ({ entry, input }) => {
    parsed = { entry, input: { ...input, rest } };
  });
  try {
    program.parse(own, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return undefined;
    // commander has printed the whole help where no command was named.
    const message = error.code === "commander.help" ? "No command was given." : error.message;
    throw new UsageError(message.replace(/^error: /, "").replace(/\n/, " "), helpOf(own));
  }
  if (parsed !== undefined && rest !== undefined && parsed.entry.takesRest !== true) {
    throw new UsageError(`\`${parsed.entry.name}\` takes nothing after \`--\`.`, helpOf(own));
  }
  return parsed;
}

async function main(argv: readonly string[]): Promise<number> {
  try {
    const parsed = parse(argv);
    if (parsed === undefined) return EXIT.ok;
    const { run } = await parsed.entry.load();
    return await run(parsed.input);
  } catch (error) {
    if (error instanceof UsageError) {
      say(`sandproof: ${error.message}\n${error.next}`);
      if (debug) say(error.stack ?? "");
      return EXIT.usage;
    }
    tellCrash(error);
    return EXIT.harnessError;
  }
}

process.stdout.on("error", ignoreClosedPipe);
process.stderr.on("error", ignoreClosedPipe);
// Without this Node would end with 1, which says "violated".
process.on("uncaughtException", (error) => {
  tellCrash(error);
  process.exit(EXIT.harnessError);
});

process.exitCode = await main(process.argv.slice(2));
