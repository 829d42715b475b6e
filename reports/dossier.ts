/** The text that is pasted into an issue or pull request, for a maintainer with five minutes and no reason to trust it. */
import { escapeTerminal } from "../redaction/escape.ts";
import { type CheckResult, type Environment, type Results, STATUSES } from "../schemas/documents.ts";
import { fenced, folded, table, text } from "./markdown.ts";
import { negatives } from "./negatives.ts";
import { clip, shellLine, shellWord } from "./text.ts";
import {
  byArea,
  columns,
  conformanceWords,
  countStatuses,
  failures,
  itemsOn,
  planeWords,
  plural,
  residueWords,
  SELF_REPORTED,
  seconds,
  seenPlanes,
  statusWords,
  undecided,
} from "./words.ts";

/** Enough to see what is wrong; the rest is folded, so that the whole stays within 60 visible lines. */
const MAX_FAILURES = 3;
const MAX_UNDECIDED = 2;
const MAX_VISIBLE_AREAS = 6;
const MAX_EVENTS = 12;
/** Characters of one declared part. */
const MAX_DECLARED = 2000;

/** Pure: the same results and environment give the same bytes. Ends with a newline. */
export function dossier(results: Results, environment: Environment): string {
  const parts: readonly (readonly string[])[] = [
    ["## Real behavior proof"],
    rung(results),
    addressed(results, environment),
    tested(environment),
    declared(environment),
    steps(environment),
    observed(results),
    failed(results),
    open(results),
    ownership(results),
    residue(results),
    areas(results),
    notTested(results),
    footer(results),
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join("\n"))
    .join("\n\n")}\n`;
}

function rung(results: Results): string[] {
  return [
    `**${SELF_REPORTED}.** The digests below show only that the attached files belong together.\\`,
    ...(results.history === "truncated"
      ? ["**The history is truncated: the run was killed, or its end was cut off. Judged is what is left of it.**\\"]
      : []),
    `**Conformance: ${conformanceWords(results)}** · **Residue: ${residueWords(results)}** · exit code ${results.exitCode}`,
  ];
}

/** Counts what was judged; claims nothing of it. */
function addressed(results: Results, { provider }: Environment): string[] {
  const { checks, profile } = results;
  const areas = byArea(results).map(({ area, total }) => `${text(area)} ${total}`);
  const deciding = checks.filter((check) => check.deciding).length;
  return [
    `**Behavior addressed**: sandboxes of ${text(provider.name)} against contract 1, profile ${profile}: ${plural(checks.length, "check")} (${areas.join(", ")}), of which ${deciding} decide the verdicts.`,
  ];
}

function tested({ provider, adapter, harness, ...run }: Environment): string[] {
  const where = [run.target.endpointClass ?? "endpoint not named", run.target.region ?? "no region"];
  return [
    "**Real environment tested**",
    `- provider ${text(provider.name)} ${text(provider.version)}, target ${where.map(text).join(", ")}, boundary ${run.boundary} (declared)`,
    `- adapter ${text(adapter.name)} ${text(adapter.version)}, ${revision(adapter)}, files sha256 \`${adapter.files}\``,
    `- harness sandproof ${text(harness.version)}, ${revision(harness)}, Node ${text(harness.node)}, ${text(harness.platform)}, kernel ${text(harness.kernel)}`,
    `- run \`${run.runId}\`, seed ${run.seed}, shard ${run.shard}, started ${text(run.startedAt)} UTC, ${
      run.challenge === undefined ? "no challenge" : `challenge ${text(run.challenge)}`
    }`,
  ];
}

/** What the adapter says of itself, folded: the reader compares it with what was observed. */
function declared({ capabilities, claims, waits, quotas, guest }: Environment): string[] {
  const parts = Object.entries({ capabilities, claims, waits, quotas, guest });
  const lines = parts.map(([name, value]) => `${name}=${escapeTerminal(JSON.stringify(value))}`);
  return folded(
    "What the adapter declares",
    fenced(
      "text",
      lines.map((line) => clip(line, MAX_DECLARED)),
    ),
  );
}

function revision({ commit, dirty }: { commit?: string; dirty?: boolean }): string {
  if (commit === undefined) return "commit unknown";
  const state = dirty === undefined ? "state unknown" : dirty ? "with local changes" : "clean";
  return `commit ${text(commit)} (${state})`;
}

const steps = ({ command }: Environment): string[] => [
  "**Exact steps**",
  ...fenced("sh", [command.length === 0 ? "# the command line was not recorded" : shellLine(command)]),
];

const CLEANUP = { none: "complete", left: "failed", unknown: "unknown" } as const;

/** Stable key=value lines, for people who search and programs that read. */
function observed(results: Results): string[] {
  const { verdict, sandboxes, events, history, exitCode } = results;
  const cleanup = history === "truncated" ? "unknown" : CLEANUP[verdict.residue];
  const counts = countStatuses(results.checks);
  const planes = seenPlanes(results);
  return [
    "**Evidence**",
    ...fenced("text", [
      `run=${results.runId} provider=${shellWord(results.provider)} profile=${results.profile} history=${history} events=${events} seconds=${(results.durationNs / 1e9).toFixed(1)}`,
      `creates_acknowledged=${sandboxes.created} sandboxes_with_acknowledged_destroy=${sandboxes.ended}`,
      ...evidenceIds(results).map((id) => `check=${id} ${checkPairs(results.checks.find((check) => check.id === id))}`),
      `classification=${history === "truncated" ? history : verdict.conformance} cleanup=${cleanup} residue=${verdict.residue} planes_seen=${planes.seen}/${planes.of} exit=${exitCode}`,
    ]),
    `**Observed result**: ${STATUSES.filter((status) => status !== "blocked")
      .map((status) => `${counts[status]} ${status}`)
      .join(", ")}; apart from these ${counts.blocked} blocked, which never count as passed.`,
  ];
}

const CREATE_USE_DESTROY = ["lifecycle.create-usable", "lifecycle.destroy-ends", "residue.after-partial-failure"];
const MAX_EVIDENCE = 6;

/** Create, use, destroy where they were judged; of a selection what was selected. The whole table is folded below. */
function evidenceIds({ checks }: Results): string[] {
  const judged = checks.map(({ id }): string => id);
  const usual = CREATE_USE_DESTROY.filter((id) => judged.includes(id));
  return usual.length === CREATE_USE_DESTROY.length ? usual : judged.slice(0, MAX_EVIDENCE);
}

const checkPairs = (check: CheckResult | undefined): string =>
  check === undefined
    ? "status=not-judged"
    : `status=${check.status}${check.source === undefined ? "" : ` source=${check.source}`}${check.count === undefined ? "" : ` count=${check.count}`}`;

function failed(results: Results): string[] {
  const list = failures(results);
  if (list.length === 0) return [];
  const lines = list.map(oneFailure);
  const rest = lines.slice(MAX_FAILURES);
  return [
    `**Failures (${list.length})**`,
    ...lines.slice(0, MAX_FAILURES),
    ...(rest.length === 0 ? [] : ["", ...folded(`${rest.length} more failures`, rest)]),
  ];
}

function oneFailure({ id, requirement, counterexample, detail, deciding, known }: CheckResult): string {
  const aside = known === undefined ? (deciding ? "" : " (does not decide)") : ` (known: ${text(known.reason)})`;
  const events = counterexample?.events ?? [];
  const named = events.length === 0 ? "" : ` Events ${events.slice(0, MAX_EVENTS).join(", ")}.`;
  const what =
    counterexample === undefined
      ? text(detail)
      : `Expected: ${text(counterexample.expected)}. Observed: ${text(counterexample.observed)}.${named}`;
  return `- ✘ \`${id}\`${aside}: ${text(requirement)} ${what}`;
}

function open(results: Results): string[] {
  const list = undecided(results);
  if (list.length === 0) return [];
  const lines = list.map((check) => `- ? \`${check.id}\`: ${statusWords(check)}: ${text(check.detail)}`);
  const rest = lines.slice(MAX_UNDECIDED);
  return [
    `**Undecided (${list.length})**`,
    ...lines.slice(0, MAX_UNDECIDED),
    ...(rest.length === 0 ? [] : ["", ...folded(`${rest.length} more undecided`, rest)]),
  ];
}

const ownership = (results: Results): string[] => [
  ...table(
    ["Negative check", "held", "seen by"],
    negatives(results).map(({ claim, answer, seen }) => [claim, answer, seen]),
  ),
];

const residue = ({ planes }: Results): string[] => [
  ...table(
    ["Residue plane", "during", "after", "status"],
    planes.map((plane) => [plane.plane, itemsOn(plane, "during"), itemsOn(plane, "after"), text(planeWords(plane))]),
  ),
];

function areas(results: Results): string[] {
  const statuses = columns(results);
  const rows = byArea(results).map(({ area, counts }) => [text(area), ...statuses.map((s) => String(counts[s]))]);
  const lines = table(["Area", ...statuses], rows);
  return [
    ...(rows.length > MAX_VISIBLE_AREAS ? folded("Counts by area", lines) : lines),
    "",
    ...folded(
      `All ${results.checks.length} checks`,
      table(
        ["check", "level", "decides", "status", "seen by", "detail"],
        results.checks.map((check) => [
          `\`${check.id}\``,
          check.level,
          check.deciding ? "yes" : "no",
          statusWords(check),
          check.source ?? "",
          text(check.detail),
        ]),
      ),
    ),
  ];
}

function notTested(results: Results): string[] {
  const counts = countStatuses(results.checks);
  const list = results.notTested;
  return [
    `**Not tested**: ${plural(list.length, "entry", "entries")}, with the reason for each; of the checks ${counts.unknown} unknown, ${counts.unsupported} unsupported, ${counts.disabled} switched off, ${counts.blocked} blocked.`,
    ...(results.allowed.length === 0 ? [] : [`Excused by whoever ran it: ${results.allowed.map(text).join(", ")}.`]),
    ...folded(
      "What was not tested, and why",
      list.map(({ what, why }) => `- ${text(what)}: ${text(why)}`),
    ),
  ];
}

const footer = ({ root, harness, durationNs }: Results): string[] => [
  `Facts root \`${root}\`, ${seconds(durationNs)} recorded. With the attached folder, sandproof ${text(harness)} judges it again offline: \`sandproof analyze <folder>\`. That shows whether these verdicts follow from the recorded events, not that the events happened.`,
];
