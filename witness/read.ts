/** Synchronous reads of kernel files. What cannot be read is told apart from what is not there. */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from "node:fs";

export type Read<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "gone" }
  | { readonly kind: "refused" };

/** `ESRCH` and `ENODEV`: the process or the cgroup went while its file was open. */
const GONE = new Set(["ENOENT", "ESRCH", "ENOTDIR", "ENODEV"]);

/** Any other error of the system is `refused`; an error that is not the system's is ours and is thrown. */
function attempt<T>(read: () => T): Read<T> {
  try {
    return { kind: "read", value: read() };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === undefined) throw error;
    return { kind: GONE.has(code) ? "gone" : "refused" };
  }
}

const line = Buffer.allocUnsafe(4096);

/** The first 4,096 bytes as Latin-1: three system calls, where `readFileSync` needs five. */
export const readLine = (path: string): Read<string> =>
  attempt(() => {
    const file = openSync(path, "r");
    try {
      return line.toString("latin1", 0, readSync(file, line, 0, line.length, 0));
    } finally {
      closeSync(file);
    }
  });

export const readText = (path: string): Read<string> => attempt(() => readFileSync(path, "utf8"));
export const readNames = (path: string): Read<string[]> => attempt(() => readdirSync(path));
export const readFolders = (path: string): Read<string[]> =>
  attempt(() =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name),
  );
export const readTarget = (path: string): Read<string> => attempt(() => readlinkSync(path));
export const readInode = (path: string): Read<string> => attempt(() => String(statSync(path).ino));

export const valueOf = <T>(read: Read<T>): T | undefined => (read.kind === "read" ? read.value : undefined);
