import { writeSync } from "node:fs";

/** Writes all of `text`: a single call may write only a part of it when the disk is nearly full. */
export function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  for (let written = 0; written < bytes.byteLength; ) written += writeSync(file, bytes, written);
}
