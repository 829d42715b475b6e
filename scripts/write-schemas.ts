/** Writes schemas/json/ from schemas/*.ts; with `--check` it only says what differs, and fails. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TSchema } from "typebox";
import { Description } from "../schemas/description.ts";
import {
  Environment,
  JournalEntry,
  Manifest,
  RequirementSet,
  Results,
  WITNESS,
  WitnessRecord,
} from "../schemas/documents.ts";
import { EventEnvelope, NOTES, OPERATIONS } from "../schemas/event.ts";
import { METHODS } from "../schemas/messages.ts";
import { AdapterNotice, HarnessNotice, Reply, Request, WireErrorData } from "../schemas/wire.ts";

const FOLDER = join(import.meta.dirname, "..", "schemas", "json");

/** "Where these members have these values, `value` fits that schema": a tagged union on top of the envelope. */
const where = (members: Readonly<Record<string, string>>, value: TSchema) => ({
  if: { properties: Object.fromEntries(Object.entries(members).map(([name, text]) => [name, { const: text }])) },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { properties: { value } },
});

const event = {
  ...EventEnvelope,
  allOf: [
    ...Object.entries(OPERATIONS).flatMap(([f, { invoke, ok }]) => [
      where({ type: "invoke", f }, invoke),
      where({ type: "ok", f }, ok),
    ]),
    ...Object.entries(NOTES).map(([f, value]) => where({ type: "note", f }, value)),
  ],
};
const witness = { ...WitnessRecord, allOf: Object.entries(WITNESS).map(([kind, value]) => where({ kind }, value)) };

const SCHEMAS: Readonly<Record<string, { readonly title: string; readonly schema: object }>> = {
  description: { title: "What a provider says about itself", schema: Description },
  environment: { title: "environment.json", schema: Environment },
  event: { title: "One line of history/<shard>.ndjson", schema: event },
  journal: { title: "One line of journal.ndjson", schema: JournalEntry },
  manifest: { title: "manifest.json", schema: Manifest },
  requirements: { title: "contract/requirements/<contract>.json", schema: RequirementSet },
  results: { title: "results.json", schema: Results },
  witness: { title: "One line of witness.ndjson", schema: witness },
  "wire.request": { title: "Harness to adapter: a call", schema: Request },
  "wire.harness-notice": { title: "Harness to adapter, without reply", schema: HarnessNotice },
  "wire.reply": { title: "Adapter to harness: the reply to a call", schema: Reply },
  "wire.error-data": { title: "Member `data` of an error reply", schema: WireErrorData },
  "wire.adapter-notice": { title: "Adapter to harness, without reply", schema: AdapterNotice },
  ...Object.fromEntries(
    Object.entries(METHODS).flatMap(([method, { params, result }]) => [
      [`${method}.params`, { title: `Parameters of ${method}`, schema: params }],
      [`${method}.result`, { title: `Result of ${method}`, schema: result }],
    ]),
  ),
};

const wanted = new Map<string, string>(
  Object.entries(SCHEMAS).map(([name, { title, schema }]) => {
    const heading = { $schema: "https://json-schema.org/draft/2020-12/schema", $id: `sandproof:${name}/1`, title };
    return [`${name}.json`, `${JSON.stringify({ ...heading, ...schema }, undefined, 2)}\n`] as const;
  }),
);

mkdirSync(FOLDER, { recursive: true });
const stored = new Map(readdirSync(FOLDER).map((file) => [file, readFileSync(join(FOLDER, file), "utf8")]));
const stale = [...stored.keys()].filter((file) => !wanted.has(file));
const differing = [...wanted.keys()].filter((file) => stored.get(file) !== wanted.get(file));

if (process.argv.includes("--check")) {
  for (const file of [...stale, ...differing])
    process.stderr.write(`schemas/json/${file} is not what schemas/*.ts says\n`);
  if (stale.length + differing.length > 0) {
    process.stderr.write("Write them again with: node scripts/write-schemas.ts\n");
    process.exitCode = 1;
  }
} else {
  for (const file of stale) rmSync(join(FOLDER, file));
  for (const file of differing) writeFileSync(join(FOLDER, file), wanted.get(file) ?? "");
  process.stdout.write(`${wanted.size} schemas, ${differing.length} written, ${stale.length} removed\n`);
}
