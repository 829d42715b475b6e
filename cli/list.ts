import { styleText } from "node:util";
import { areaOf, idsOfProfile, requirementSet } from "../contract/requirements.ts";
import type { Profile, RequirementSet } from "../schemas/documents.ts";
import type { RunCommand } from "./commands.ts";
import { EXIT } from "./exit.ts";

type Row = RequirementSet["checks"][number];

function table(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ id }) => id.length));
  const lines = rows.map(({ id, level, profile, built }, at) => {
    const text = `${id.padEnd(width)}  ${level.padEnd(11)}  ${profile.padEnd(5)}  ${built ? "built" : "not built"}`;
    const previous = rows[at - 1];
    const gap = previous !== undefined && areaOf(previous.id) !== areaOf(id) ? "\n" : "";
    return gap + (built ? text : styleText("dim", text, { stream: process.stdout }));
  });
  const built = rows.filter((row) => row.built).length;
  return `${lines.join("\n")}\n\n${rows.length} checks, ${built} built.\n`;
}

/** `--profile` is already one of the table's choices. */
export const run: RunCommand = ({ options }) => {
  const profile = (options.profile ?? "full") as Profile;
  const ids = new Set(idsOfProfile(profile));
  const { contract, checks } = requirementSet();
  const rows = checks.filter(({ id }) => ids.has(id));
  process.stdout.write(
    options.json === true ? `${JSON.stringify({ contract, profile, checks: rows }, undefined, 2)}\n` : table(rows),
  );
  return Promise.resolve(EXIT.ok);
};
