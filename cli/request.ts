/** What the flags of a run ask for, checked before anything is made. */
import { randomInt } from "node:crypto";
import { basename } from "node:path";
import { matchesGlob } from "../contract/glob.ts";
import { areaOf, idsOfProfile, requirementSet } from "../contract/requirements.ts";
import type { Environment, Profile } from "../schemas/documents.ts";
import type { CommandInput, OptionValue } from "./commands.ts";
import { resolveSubject, type Subject } from "./subject.ts";
import { didYouMean, UsageError } from "./usage.ts";

export interface Budget {
  readonly timeMs: number;
  readonly sandboxes: number;
}

export interface RunRequest {
  readonly subject: Subject;
  readonly profile: Profile;
  readonly selection: NonNullable<Environment["selection"]> | undefined;
  readonly seed: number;
  readonly budget: Budget;
  /** Scenarios at once. */
  readonly jobs: number;
  readonly options: Readonly<Record<string, string>>;
  readonly passEnv: readonly { readonly name: string; readonly value: string; readonly secret: boolean }[];
  readonly challenge: string | undefined;
  readonly allow: Environment["allow"];
  readonly out: string | undefined;
  readonly json: boolean;
  /** The command line as it may be published. */
  readonly command: readonly string[];
}

const DEFAULT_BUDGET: Budget = { timeMs: 10 * 60_000, sandboxes: 50 };
const MAX_SEED = 2 ** 32;

export function readRequest(name: "prove" | "run", { args, options, rest }: CommandInput): RunRequest {
  const profile = name === "prove" ? "prove" : ((text(options.profile) ?? "core") as Profile);
  const selection = readSelection(profile, options);
  const seed = readSeed(text(options.seed));
  const subject = resolveSubject(args[0], options.adapter === true, rest);
  return {
    subject,
    profile,
    selection,
    seed,
    budget: readBudget(text(options.budget)),
    jobs: readJobs(text(options.jobs)),
    options: Object.fromEntries(texts(options.option).map(readOption)),
    passEnv: texts(options.passEnv).map(readPassEnv),
    challenge: readChallenge(text(options.challenge)),
    allow: readAllowance(options.allowBlocked === true, texts(options.allowUnknown)),
    out: text(options.out),
    json: options.json === true,
    command: [
      "sandproof",
      name,
      ...(subject.kind === "provider" ? [publicName(subject.name)] : []),
      ...(name === "run" ? ["--profile", profile] : []),
      ...(selection?.suites ?? []).flatMap((suite) => ["--suite", suite]),
      ...(selection?.checks ?? []).flatMap((glob) => ["--check", glob]),
      ...(selection?.skip ?? []).flatMap((glob) => ["--skip", glob]),
      ...(options.allowBlocked === true ? ["--allow-blocked"] : []),
      ...texts(options.allowUnknown).flatMap((glob) => ["--allow-unknown", glob]),
      "--seed",
      String(seed),
      ...(subject.kind === "program" ? ["--adapter", "--", "<adapter>"] : []),
    ],
  };
}

/** A module's path is this machine's: only its last part may be published. */
const publicName = (name: string): string => (/^[a-z0-9-]+$/.test(name) ? name : `./${basename(name)}`);

const text = (value: OptionValue): string | undefined => (typeof value === "string" ? value : undefined);
const texts = (value: OptionValue): readonly string[] => (Array.isArray(value) ? value : []);

function readSelection(profile: Profile, options: CommandInput["options"]): RunRequest["selection"] {
  const ids: string[] = requirementSet().checks.map(({ id }) => id);
  const areas = [...new Set(ids.map(areaOf))];
  const [suites, checks, skip] = [texts(options.suite), texts(options.check), texts(options.skip)];
  for (const suite of suites) {
    if (areas.includes(suite)) continue;
    throw new UsageError(`There is no suite \`${suite}\`.`, didYouMean(suite, areas) ?? `Suites: ${areas.join(", ")}.`);
  }
  const built: string[] = requirementSet()
    .checks.filter((check) => check.built)
    .map(({ id }) => id);
  for (const glob of [...checks, ...skip]) {
    if (!ids.some((id) => matchesGlob(id, glob))) {
      throw new UsageError(
        `No check matches \`${glob}\`.`,
        didYouMean(glob, ids) ?? "Run `sandproof list` to see the checks.",
      );
    }
  }
  const wanted =
    suites.length + checks.length === 0
      ? idsOfProfile(profile)
      : ids.filter((id) => checks.some((glob) => matchesGlob(id, glob)) || suites.includes(areaOf(id)));
  if (!wanted.some((id) => built.includes(id) && !skip.some((glob) => matchesGlob(id, glob)))) {
    throw new UsageError(
      "Nothing that was asked for is built, or all of it is skipped.",
      "Run `sandproof list` to see what is built.",
    );
  }
  return suites.length + checks.length + skip.length === 0
    ? undefined
    : { suites: [...suites], checks: [...checks], skip: [...skip] };
}

function readSeed(given: string | undefined): number {
  if (given === undefined) return randomInt(MAX_SEED);
  const seed = Number(given);
  if (/^[0-9]+$/.test(given) && seed < MAX_SEED) return seed;
  throw new UsageError(`\`${given}\` is no seed.`, `Give a whole number from 0 to ${MAX_SEED - 1}.`);
}

const DEFAULT_JOBS = 2;
const MAX_JOBS = 64;

function readJobs(given: string | undefined): number {
  if (given === undefined) return DEFAULT_JOBS;
  const jobs = Number(given);
  if (/^[0-9]+$/.test(given) && jobs >= 1 && jobs <= MAX_JOBS) return jobs;
  throw new UsageError(`\`${given}\` is no number of jobs.`, `Give a whole number from 1 to ${MAX_JOBS}.`);
}

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function readBudget(given: string | undefined): Budget {
  const budget = { ...DEFAULT_BUDGET };
  for (const part of given?.split(",") ?? []) {
    const time = /^time=([1-9][0-9]*)([smh])$/.exec(part);
    const sandboxes = /^sandboxes=([1-9][0-9]*)$/.exec(part);
    if (time !== null) budget.timeMs = Number(time[1]) * (UNITS[time[2] ?? ""] ?? 0);
    else if (sandboxes !== null) budget.sandboxes = Number(sandboxes[1]);
    else throw new UsageError(`\`${part}\` is no budget.`, "Write it as time=10m,sandboxes=50 (units s, m, h).");
  }
  return budget;
}

function readOption(given: string): [string, string] {
  const at = given.indexOf("=");
  if (at > 0) return [given.slice(0, at), given.slice(at + 1)];
  // The text itself may hold a credential: it is not repeated.
  throw new UsageError("An --option is not written as k=v.", "Write it as --option name=value.");
}

function readPassEnv(given: string): RunRequest["passEnv"][number] {
  const [name = "", kind, ...more] = given.split(":");
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || more.length > 0 || (kind !== undefined && kind !== "public")) {
    throw new UsageError(
      "A --pass-env is not the name of a variable.",
      "Write it as --pass-env NAME or --pass-env NAME:public; the value comes from the environment.",
    );
  }
  const value = process.env[name];
  if (value === undefined)
    throw new UsageError(
      `The variable ${name} is not set.`,
      `Set it in the environment, then give --pass-env ${name}.`,
    );
  return { name, value, secret: kind === undefined };
}

function readAllowance(blocked: boolean, unknown: readonly string[]): RunRequest["allow"] {
  const ids: string[] = requirementSet().checks.map(({ id }) => id);
  for (const glob of unknown) {
    if (!ids.some((id) => matchesGlob(id, glob))) {
      throw new UsageError(
        `No check matches \`${glob}\`.`,
        didYouMean(glob, ids) ?? "Run `sandproof list` to see the checks.",
      );
    }
  }
  return blocked || unknown.length > 0 ? { blocked, unknown: [...unknown] } : undefined;
}

function readChallenge(given: string | undefined): string | undefined {
  if (given === undefined || /^[A-Za-z0-9_-]{8,128}$/.test(given)) return given;
  throw new UsageError("The challenge is no nonce.", "Give 8 to 128 letters, digits, `-` or `_`.");
}
