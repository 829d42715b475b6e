import { matchesGlob } from "../contract/glob.ts";
import type { Environment, Results } from "../schemas/documents.ts";
import { exitCodeOf, type Judged, verdictOf } from "./verdict.ts";

/**
 * The exit code under `--allow-blocked` and `--allow-unknown`, and what was excused by them. The verdicts stay what they are: an
 * allowance is the word of the person who ran it, and is printed as that.
 */
export function exitUnderAllowance(judged: Judged, allow: Environment["allow"]): Pick<Results, "exitCode" | "allowed"> {
  const strict = verdictOf(judged);
  if (allow === undefined) return { exitCode: exitCodeOf(strict), allowed: [] };
  if (strict.conformance === "blocked" && strict.residue !== "left" && allow.blocked)
    return { exitCode: 0, allowed: ["blocked"] };
  const isAllowed = (id: string) => allow.unknown.some((glob) => matchesGlob(id, glob));
  const checks = judged.checks.map((check) =>
    check.status === "unknown" && check.deciding && isAllowed(check.id) ? { ...check, deciding: false } : check,
  );
  const planes = judged.planes.filter(({ plane, status }) => status !== "unknown" || !isAllowed(`residue.${plane}`));
  const excusedChecks = judged.checks.filter(({ deciding }, place) => deciding && checks[place]?.deciding === false);
  const excusedPlanes = judged.planes.filter((plane) => !planes.includes(plane));
  return {
    exitCode: exitCodeOf(verdictOf({ ...judged, checks, planes })),
    allowed: [
      ...new Set([
        ...excusedChecks.map(({ id }) => `${id} unknown`),
        ...excusedPlanes.map(({ plane }) => `residue.${plane} unknown`),
      ]),
    ],
  };
}
