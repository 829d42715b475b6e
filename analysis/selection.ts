import { matchesGlob } from "../contract/glob.ts";
import { areaOf, idsOfProfile, requirementSet } from "../contract/requirements.ts";
import type { Environment } from "../schemas/documents.ts";
import { CHECKS } from "../suites/catalogue.ts";
import type { Check } from "../suites/check.ts";

type Wanted = Pick<Environment, "profile" | "selection">;

const matchesAny = (id: string, globs: readonly string[]): boolean => globs.some((glob) => matchesGlob(id, glob));

/** True when the run is less than its profile: it can pass, never conform. */
export const isPartial = ({ profile, selection }: Wanted): boolean =>
  selection !== undefined &&
  (selection.checks.length > 0 ||
    selection.suites.length > 0 ||
    idsOfProfile(profile).some((id) => matchesAny(id, selection.skip)));

/** Ids that the run set out to judge, built or not. Naming checks or suites reaches beyond the profile. */
export function selectedIds({ profile, selection }: Wanted): string[] {
  const { checks = [], suites = [] } = selection ?? {};
  if (checks.length === 0 && suites.length === 0) return [...idsOfProfile(profile)];
  return requirementSet()
    .checks.map(({ id }) => id as string)
    .filter((id) => matchesAny(id, checks) || suites.includes(areaOf(id)));
}

/** The built checks to judge, and which of them the person switched off. */
export function selectedChecks(
  wanted: Wanted,
): { readonly check: Check; readonly selected: boolean; readonly disabled: boolean }[] {
  const ids = new Set(selectedIds(wanted));
  const skip = wanted.selection?.skip ?? [];
  return CHECKS.filter((check) => ids.has(check.id) || check.everyRun === true).map((check) => ({
    check,
    selected: ids.has(check.id),
    disabled: matchesAny(check.id, skip),
  }));
}
