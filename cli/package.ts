/** Where this package is, in the repository and when installed. */
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";

function packageFile(): string {
  const path = findPackageJSON(import.meta.url);
  if (path === undefined) throw new Error("package.json of sandproof was not found");
  return path;
}

export const version = (): string => (JSON.parse(readFileSync(packageFile(), "utf8")) as { version: string }).version;

export const packageFolder = (): string => dirname(packageFile());

/** The file that starts the command line. */
export const binFile = (): string => join(packageFolder(), "bin", "sandproof.js");
