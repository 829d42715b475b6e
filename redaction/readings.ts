/** The ways to read a text in which a value may stand: as it is, its lines joined, its escapes, quotes or codes undone. */
import {
  hasEscapes,
  hasPercent,
  hasPlus,
  hasQuotes,
  joined,
  spacedForm,
  unescaped,
  unpercented,
  unquoted,
} from "./decoders.ts";
import type { FormName } from "./forms.ts";
import { type Mapped, original } from "./mapped.ts";

export interface Reading {
  /** The form that a plain value has in the text, if it is found in this reading. */
  readonly form: FormName;
  readonly text: Mapped;
}

export function readings(bytes: Uint8Array): readonly Reading[] {
  const plain = original(bytes);
  const list: Reading[] = [];
  const add = (form: FormName, text: Mapped) => list.push({ form, text }, { form, text: joined(text) });
  add("raw", plain);
  if (hasEscapes(bytes)) {
    const once = unescaped(plain);
    add("json", once);
    // JSON inside a string of JSON, as loggers write it.
    if (hasEscapes(once.bytes)) add("json", unescaped(once));
  }
  if (hasQuotes(bytes)) {
    // Joined first: the end of an ANSI sequence may be a backslash.
    list.push({ form: "shell", text: unquoted(plain) }, { form: "shell", text: unquoted(joined(plain)) });
  }
  if (hasPercent(bytes) || hasPlus(bytes)) add("percent", unpercented(plain, "is-space"));
  return list;
}

/** What becomes of a plain value in the readings that do not decode it: they drop line breaks, quotes, or make `+` a space. */
export function appearances(value: Uint8Array): readonly Uint8Array[] {
  const plain = original(value);
  const line = joined(plain);
  return [unquoted(plain).bytes, line.bytes, unquoted(line).bytes, spacedForm(line.bytes)];
}
