/** Reads one stored JSON document of a run. */
import { isUtf8 } from "node:buffer";
import type { Static, TSchema } from "typebox";
import { type Checked, check } from "../schemas/validate.ts";
import { reasonOf } from "./errors.ts";
import { readWhole } from "./files.ts";
import { isPlainForm } from "./json.ts";
import type { FileDigest } from "./root.ts";

/** No document of ours comes near it; only histories and witness logs grow with a run, and they are read in pieces. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

export interface Document<T> {
  readonly value: T;
  readonly text: string;
  readonly digest: FileDigest;
}

/** A document that is missing, damaged or hostile is a problem, never an exception. */
export async function readDocument<S extends TSchema>(
  folder: string,
  path: string,
  schema: S,
): Promise<Checked<Document<Static<S>>>> {
  let read: Awaited<ReturnType<typeof readWhole>>;
  try {
    read = await readWhole(folder, path, MAX_DOCUMENT_BYTES);
  } catch (error) {
    return refused(`cannot be read (${reasonOf(error)})`);
  }
  if (read === "too-large") return refused(`larger than ${MAX_DOCUMENT_BYTES} bytes`);
  if (!isUtf8(read.bytes)) return refused("not JSON in UTF-8");
  const text = Buffer.from(read.bytes).toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own words quote the text, which may hold anything.
    return refused("not JSON in UTF-8");
  }
  const checked = check(schema, value);
  if (!checked.ok) return refused(`does not fit its schema: ${checked.problem}`);
  if (!isPlainForm(text, value)) return refused("not written as sandproof writes it (a key twice, odd white space)");
  return { ok: true, value: { value: checked.value, text, digest: read.digest } };
}

const refused = (problem: string) => ({ ok: false, problem }) as const;
