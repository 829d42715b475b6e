/** Starts the Perl programs of this folder: in a session of their own, with nothing of this process but the descriptors named. */
import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

/** Where a Linux system keeps perl; the caller's PATH does not decide what runs as root. */
const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export function startHelper(
  script: "launch.pl" | "enter.pl" | "probe.pl",
  args: readonly string[],
  stdio: StdioOptions,
): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return spawn("perl", [path, ...args], { cwd: "/", env: { PATH: SYSTEM_PATH }, detached: true, stdio });
}

/** The whole of what is written to descriptor `fd`; rejects when the helper could not be started. */
export function readAll(child: ChildProcess, fd: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const stream = child.stdio[fd];
    if (!(stream instanceof Readable)) return reject(new Error(`descriptor ${fd} is not a pipe`));
    let text = "";
    stream.setEncoding("utf8");
    stream.on("data", (chunk: string) => {
      text += chunk;
    });
    stream.once("error", reject);
    stream.once("close", () => resolve(text));
    child.once("error", reject);
  });
}
