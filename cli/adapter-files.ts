/** What the adapter was made of: digest over its files, and the commit they stand at. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { execa } from "execa";

export interface AdapterSource {
  /** Lowercase hex SHA-256 over path and content digest of every file. */
  readonly files: string;
  readonly commit?: string;
  readonly dirty?: boolean;
}

const GIT_MS = 10_000;

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

/** Nothing where there is no git or no checkout: then nothing is claimed. */
async function gitState(path: string): Promise<{ commit: string; dirty: boolean } | undefined> {
  const folder = statSync(path).isDirectory() ? path : dirname(path);
  const git = (...args: string[]) =>
    execa("git", ["-C", folder, ...args], { reject: false, timeout: GIT_MS, stdin: "ignore" });
  const head = await git("rev-parse", "--verify", "HEAD");
  if (head.exitCode !== 0 || !/^[0-9a-f]{40,64}$/.test(head.stdout)) return undefined;
  const status = await git("status", "--porcelain", "--", path);
  return status.exitCode === 0 ? { commit: head.stdout, dirty: status.stdout !== "" } : undefined;
}
