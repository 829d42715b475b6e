/** The encodings of one value that must be known beforehand, since no reading of a text undoes them. */

/** `json`, `percent` and most of `shell` are readings of the text (`readings.ts`), the others are these forms. */
export type FormName = "raw" | "json" | "shell" | "percent" | "hex" | "base64";

export interface Form {
  readonly name: FormName;
  readonly bytes: Uint8Array;
  /** Characters before and after that hold some bits of the value and some of its neighbours. */
  readonly before: 0 | 1;
  readonly after: 0 | 1;
}

export const rawForm = (value: Uint8Array): Form => form("raw", value);

export function hexForms(value: Uint8Array): readonly Form[] {
  const hex = Buffer.from(value).toString("hex");
  return [hex, hex.toUpperCase()].map((text) => form("hex", Buffer.from(text)));
}

/** The characters that depend on the value alone, with 0, 1 and 2 bytes before it. */
export function base64Forms(value: Uint8Array): readonly Form[] {
  const foreign = [0, 2, 3];
  return foreign.flatMap((skipped, offset) => {
    const bits = (offset + value.byteLength) * 8;
    const whole = Buffer.concat([new Uint8Array(offset), value]).toString("base64");
    const own = whole.slice(skipped, Math.floor(bits / 6));
    const edges = { before: offset === 0 ? 0 : 1, after: bits % 6 === 0 ? 0 : 1 } as const;
    const url = own.replaceAll("+", "-").replaceAll("/", "_");
    return [own, url].map((text) => ({ ...form("base64", Buffer.from(text)), ...edges }));
  });
}

/** Inside single quotes (two customs), inside double quotes, and with a backslash before every special character. */
export function shellForms(value: Uint8Array): readonly Form[] {
  const text = Buffer.from(value).toString("utf8");
  const quoted = [
    text.replaceAll("'", "'\\''"),
    text.replaceAll("'", `'"'"'`),
    text.replace(/["$`\\!]/g, "\\$&"),
    text.replace(/[^\w@%+=:,./-]/gu, "\\$&"),
  ];
  return quoted.map((text) => form("shell", Buffer.from(text)));
}

const form = (name: FormName, bytes: Uint8Array): Form => ({ name, bytes, before: 0, after: 0 });
