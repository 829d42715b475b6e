/** Stored documents as bytes. One form, so that the same document has the same bytes. */

/** Keys sorted by UTF-16 code unit, two spaces, a newline at the end. */
export const stableJson = (value: unknown): string => `${JSON.stringify(value, sortKeys, 2)}\n`;

const sortKeys = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/**
 * False for what reads as one document and looks like another: a key twice, an odd escape, white space in odd places; and
 * for what is nested so deep that it cannot be written again.
 */
export function isPlainForm(text: string, value: unknown): boolean {
  try {
    return [2, 0].some((indent) => text.replace(/\n$/, "") === JSON.stringify(value, undefined, indent));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
