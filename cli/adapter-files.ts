/** What the adapter was made of: digest over its files, and the commit they stand at. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { gitState } from "./git-state.ts";

export interface AdapterSource {
  /** Lowercase hex SHA-256 over path and content digest of every file. */
  readonly files: string;
  readonly commit?: string;
  readonly dirty?: boolean;
}

/** @param sources files or folders; folders count with all that is in them, save dependencies. */
export async function adapterSource(sources: readonly string[]): Promise<AdapterSource> {
  const hash = createHash("sha256");
  for (const source of sources) {
    const folder = statSync(source).isDirectory() ? source : dirname(source);
    for (const file of filesOf(source)) {
      const digest = createHash("sha256").update(readFileSync(file)).digest("hex");
      hash.update(`${relative(folder, file)}\0${digest}\n`);
    }
  }
  const files = hash.digest("hex");
  const [first] = sources;
  return first === undefined ? { files } : { files, ...(await gitState(first)) };
}

function filesOf(path: string): string[] {
  const stat = statSync(path);
  if (stat.isFile()) return [path];
  if (!stat.isDirectory()) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter(
      (entry) => (entry.isFile() || entry.isDirectory()) && entry.name !== "node_modules" && entry.name !== ".git",
    )
    .map((entry) => entry.name)
    .sort()
    .flatMap((name) => filesOf(join(path, name)));
}
