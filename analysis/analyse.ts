import { areaOf, requirementSet } from "../contract/requirements.ts";
import { okValue, viewHistory } from "../history/view.ts";
import {
  type CheckResult,
  type Environment,
  PLANES,
  type Results,
  STATUSES,
  type Status,
  type WitnessRecord,
} from "../schemas/documents.ts";
import type { HistoryEvent } from "../schemas/event.ts";
import type { Check, Evidence } from "../suites/check.ts";
import { frame } from "../suites/planes.ts";
import { exitUnderAllowance } from "./allowance.ts";
import { evidenceOf, type Finding, judge } from "./judge.ts";
import { isPartial, selectedChecks, selectedIds } from "./selection.ts";
import { verdictOf } from "./verdict.ts";

/** The facts of a run, as they were read back from its folder. */
export interface Facts {
  readonly environment: Environment;
  readonly events: readonly HistoryEvent[];
  readonly witness: readonly WitnessRecord[];
  /** Digest over the fact files, lowercase hex SHA-256. */
  readonly root: string;
}

/** Judges a run. Pure: the same facts give the same results, byte for byte. */
export function analyse({ environment, events, witness, root }: Facts): Results {
  const history = viewHistory(events);
  const evidence = evidenceOf(history, witness, environment);
  const checks = selectedChecks(environment).map(({ check, selected, disabled }) =>
    resultOf(check, evidence, selected, disabled),
  );
  const planes = planesOf(evidence, checks);
  const judged = { checks, planes, partial: isPartial(environment), history: history.status };
  const created = history.byMethod("create").filter((operation) => okValue(operation, "create") !== undefined);
  const ended = new Set(
    history
      .byMethod("destroy")
      .filter((operation) => okValue(operation, "destroy") !== undefined)
      .map((operation) => operation.target),
  );
  return {
    schema: "sandproof-results/1",
    runId: environment.runId,
    harness: environment.harness.version,
    root,
    history: history.status,
    provider: environment.provider.name,
    profile: environment.profile,
    verdict: verdictOf(judged),
    ...exitUnderAllowance(judged, environment.allow),
    counts: countsOf(checks),
    checks,
    planes,
    notTested: notTested(environment, checks, planes),
    events: events.length,
    sandboxes: { created: created.length, ended: ended.size },
    durationNs: events.at(-1)?.t ?? 0,
  };
}

function resultOf(check: Check, evidence: Evidence, selected: boolean, disabled: boolean): CheckResult {
  const finding: Finding | { status: "disabled"; detail: string } = disabled
    ? { status: "disabled", detail: "switched off with --skip" }
    : judge(check, evidence);
  const noWitness = finding.status === "unknown" && finding.cause === "no-witness" && check.evidence.length > 0;
  const excused = noWitness && areaOf(check.id) !== "residue" && evidence.environment.profile !== "full";
  const declared = check.needs === undefined || Object.hasOwn(evidence.environment.capabilities, check.needs);
  const deciding =
    !disabled &&
    !excused &&
    (selected || check.everyRun === true) &&
    (check.level === "must" || (check.level === "if-declared" && (declared || finding.status === "fail")));
  return {
    id: check.id as CheckResult["id"],
    area: areaOf(check.id),
    level: check.level,
    status: finding.status,
    deciding,
    requirement: check.requirement,
    detail: finding.detail,
    ...("source" in finding ? { source: finding.source } : {}),
    ...("cause" in finding ? { cause: finding.cause } : {}),
    ...("count" in finding ? { count: finding.count } : {}),
    ...("counterexample" in finding
      ? { counterexample: { ...finding.counterexample, events: [...finding.counterexample.events] } }
      : {}),
  };
}

function countsOf(checks: readonly CheckResult[]): Record<Status, number> {
  const count = (status: Status) => checks.filter((check) => check.status === status).length;
  return Object.fromEntries(STATUSES.map((status) => [status, count(status)])) as Record<Status, number>;
}

/** Where each residue plane was looked at on this host. */
const HOST_PLANES_OF = {
  inventory: ["processes", "cgroups"],
  "ended-natively": ["processes"],
  companions: ["mounts", "network-devices", "temp-entries"],
  "local-state": ["local-state"],
  processes: ["processes", "mounts", "network-devices", "cgroups"],
} as const;

/** Planes that a provider on this very host does not have, and where the same was looked at instead. */
const ABSENT_ON_THIS_HOST = {
  "remote-temp": "the sandboxes are on this host: see companions",
  billing: "the sandboxes are on this host, and no cost is declared",
} as const;

function planesOf(evidence: Evidence, checks: readonly CheckResult[]): Results["planes"] {
  const { target, cost } = evidence.environment;
  const onThisHost = target.endpointClass === "this-host" && (cost.perSandboxHourUsd ?? 0) === 0;
  return PLANES.map((plane) => {
    const check = checks.find(({ id }) => id === `residue.${plane}`);
    const planes: readonly Parameters<typeof frame>[2][] =
      plane in HOST_PLANES_OF ? HOST_PLANES_OF[plane as keyof typeof HOST_PLANES_OF] : [];
    const items = (moment: string) =>
      planes.reduce((sum, name) => sum + (frame(evidence, moment, name)?.ours.size ?? 0), 0);
    if (check === undefined && onThisHost && plane in ABSENT_ON_THIS_HOST) {
      return {
        plane,
        status: "not-applicable" as const,
        during: 0,
        after: 0,
        others: 0,
        detail: ABSENT_ON_THIS_HOST[plane as keyof typeof ABSENT_ON_THIS_HOST],
      };
    }
    return check === undefined
      ? { plane, status: "unknown" as const, during: 0, after: 0, others: 0, detail: "not looked at by this run" }
      : {
          plane,
          status: check.status,
          during: items("during"),
          after: items("after"),
          others: planes.reduce((sum, name) => sum + (frame(evidence, "after", name)?.others ?? 0), 0),
          detail: check.detail,
        };
  });
}

/** What a reader must not take for tested; never empty. */
function notTested(
  environment: Environment,
  checks: readonly CheckResult[],
  planes: Results["planes"],
): Results["notTested"] {
  const ids = new Set(selectedIds(environment));
  const unbuilt = requirementSet().checks.filter(({ id, built }) => !built && ids.has(id));
  const byArea = Map.groupBy(unbuilt, ({ id }) => areaOf(id));
  const judged = new Set<string>(checks.map(({ id }) => id));
  const outside = requirementSet().checks.filter(({ id }) => !ids.has(id) && !judged.has(id));
  const unseen = planes.filter(
    ({ plane, status }) => status === "unknown" && !checks.some(({ id }) => id === `residue.${plane}`),
  );
  return [
    ...unseen.map(({ plane, detail }) => ({ what: `residue plane ${plane}`, why: detail })),
    ...checks
      .filter(({ status }) => !["pass", "fail"].includes(status))
      .map(({ id, status, cause, detail }) => ({
        what: id as string,
        why: `${status}${cause === undefined ? "" : ` (${cause})`}: ${detail}`,
      })),
    ...[...byArea].map(([area, list]) => ({
      what: `${area}: ${list.length} checks`,
      why: `not built: ${list.map(({ id }) => id).join(", ")}`,
    })),
    ...(outside.length === 0
      ? []
      : [
          {
            what: `${outside.length} of the ${requirementSet().checks.length} requirements of contract 1`,
            why: `not asked for by this run: ${perArea(outside.map(({ id }) => id))}`,
          },
        ]),
    { what: "anything outside this run", why: "one run at one time, with one client and no load beside it" },
  ];
}

/** `isolation 33, egress 30`: how many ids of each area. */
const perArea = (ids: readonly string[]): string =>
  [...Map.groupBy(ids, areaOf)].map(([area, list]) => `${area} ${list.length}`).join(", ");
