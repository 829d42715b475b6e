/** What is refused before any effect. */
import { ProviderError } from "../../contract/errors.ts";

export const MAX_LABELS = 64;
/** UTF-8 bytes of a key or a value. */
export const MAX_LABEL_BYTES = 1024;

const refuse = (message: string): never => {
  throw new ProviderError("invalid-argument", message);
};

/** Members that the contract knows and this provider does not keep are `unsupported`; all others are `invalid-argument`. */
export function refuseUnknown(
  what: string,
  given: object,
  kept: readonly string[],
  notDeclared: readonly string[],
): void {
  const members = Object.entries(given).filter(([, value]) => value !== undefined);
  for (const [member] of members) {
    if (!kept.includes(member) && !notDeclared.includes(member)) refuse(`${what}.${member} is not known`);
  }
  for (const [member] of members) {
    if (notDeclared.includes(member)) throw new ProviderError("unsupported", `${what}.${member} is not supported`);
  }
}

export function validLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) refuse(`more than ${MAX_LABELS} labels`);
  for (const text of entries.flat()) {
    if (Buffer.byteLength(text) > MAX_LABEL_BYTES) refuse(`a label of more than ${MAX_LABEL_BYTES} bytes`);
    if (!text.isWellFormed()) refuse("a label that is not well-formed Unicode");
  }
  return { ...labels };
}

export function validEnv(what: string, env: Readonly<Record<string, string>>): Record<string, string> {
  for (const [name, value] of Object.entries(env)) {
    if (name === "" || name.includes("=")) refuse(`${what} has a name that is empty or holds "="`);
    validText(what, name);
    validText(what, value);
  }
  return { ...env };
}

/** The kernel ends a string at NUL. */
export function validText(what: string, text: string): string {
  if (text.includes("\0")) refuse(`${what} holds a NUL`);
  if (!text.isWellFormed()) refuse(`${what} is not well-formed Unicode`);
  return text;
}
