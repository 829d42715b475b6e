/** Validation by ajv (2020-12), compiled at first use. */
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Static, TSchema } from "typebox";

/** Every process compiles what it meets: neither optimised code nor the meta-schema is worth its start. A test holds the schemas against it. */
const ajv = new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } });
const compiled = new WeakMap<TSchema, ValidateFunction>();

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

/** `problem` names the place and the rule, never the offending value: it may be a secret. */
export function check<S extends TSchema>(schema: S, value: unknown): Checked<Static<S>> {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  if (validate(value)) return { ok: true, value: value as Static<S> };
  const [error] = validate.errors ?? [];
  const place = error?.instancePath === "" || error === undefined ? "the whole" : error.instancePath;
  return { ok: false, problem: `${place} ${error?.message ?? "is not valid"}` };
}
