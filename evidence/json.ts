/** Stored documents as bytes. One form, so that the same document has the same bytes. */

/** Keys sorted by UTF-16 code unit, two spaces, a newline at the end. */
export const stableJson = (value: unknown): string => `${JSON.stringify(value, sortKeys, 2)}\n`;

const sortKeys = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
    : value;

/** False for what reads as one document and looks like another: a key twice, an odd escape, white space in odd places. */
export const isPlainForm = (text: string, value: unknown): boolean =>
  [2, 0].some((indent) => {
    const plain = JSON.stringify(value, undefined, indent);
    return text === plain || text === `${plain}\n`;
  });
