/** The requirement set of contract 1: every check, its level, its profile, and whether it is built. */
import type { CheckId } from "../schemas/core.ts";
import type { Profile, RequirementSet } from "../schemas/documents.ts";
import set from "./requirements/1.json" with { type: "json" };

/** Each profile holds the ones before it. */
const PROFILES: readonly Profile[] = ["prove", "core", "full"];

/** A test holds the file against its schema, so that a start needs no validator. */
export const requirementSet = (): RequirementSet => set as RequirementSet;

/** Ids of a profile in the catalogue's order: those of `prove` are in `core`, those of `core` in `full`. */
export function idsOfProfile(profile: Profile): readonly CheckId[] {
  const rank = PROFILES.indexOf(profile);
  return requirementSet()
    .checks.filter((check) => PROFILES.indexOf(check.profile) <= rank)
    .map(({ id }) => id);
}

/** Area of a check id: what stands before the dot. */
export const areaOf = (id: string): string => id.slice(0, id.indexOf("."));
