import { statSync } from "node:fs";
import { dirname } from "node:path";
import { execa } from "execa";

export interface GitState {
  readonly commit: string;
  readonly dirty: boolean;
}

const GIT_MS = 10_000;

/**
 * The commit at which a file or folder stands, and whether anything in it was changed since.
 * Nothing where there is no git, no checkout, or the path is not part of it: then nothing is claimed.
 */
export async function gitState(path: string): Promise<GitState | undefined> {
  const folder = statSync(path).isDirectory() ? path : dirname(path);
  const git = async (...args: string[]) => {
    const done = await execa("git", ["-C", folder, ...args], { reject: false, timeout: GIT_MS, stdin: "ignore" });
    return done.exitCode === 0 ? done.stdout : undefined;
  };
  const tracked = await git("ls-files", "--", path);
  const commit = await git("rev-parse", "--verify", "HEAD");
  if (tracked === undefined || tracked === "" || commit === undefined || !/^[0-9a-f]{40,64}$/.test(commit))
    return undefined;
  const changes = await git("status", "--porcelain", "--", path);
  return changes === undefined ? undefined : { commit, dirty: changes !== "" };
}
