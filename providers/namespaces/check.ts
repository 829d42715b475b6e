/** What this host lacks, and the command that gives it. Nothing is left behind. */
import { accessSync, constants, existsSync } from "node:fs";
import { text } from "node:stream/consumers";
import type { Result } from "../../schemas/messages.ts";
import { startHelper } from "./helper.ts";
import { errorCode } from "./host.ts";

interface Problem {
  readonly what: string;
  readonly fix: string;
}

/** Answers of probe.pl. */
const FIXES: Readonly<Record<string, string>> = {
  "user-namespaces": "sysctl -w user.max_user_namespaces=15000",
  namespaces: "run as root with CAP_SYS_ADMIN (in a container: docker run --privileged)",
  mounts: "run as root with CAP_SYS_ADMIN (in a container: docker run --privileged)",
  seccomp: "use a kernel with CONFIG_SECCOMP_FILTER=y (in a container: docker run --security-opt seccomp=unconfined)",
  cgroup: "use Linux 5.7 or later, in a container with --privileged --cgroupns=host",
};

export async function check(cgroupRoot: string | undefined): Promise<Result<"check">> {
  const problems = [...plainProblems(cgroupRoot), ...(await probedProblems(cgroupRoot))];
  return { ready: problems.length === 0, problems };
}

function plainProblems(cgroupRoot: string | undefined): Problem[] {
  const problems: Problem[] = [];
  const say = (what: string, fix: string) => problems.push({ what, fix });
  if (process.platform !== "linux") say(`this is ${process.platform}, not Linux`, "run it on a Linux machine");
  if (process.geteuid?.() !== 0) say("not root", "sudo -E env PATH=$PATH npx sandproof prove");
  if (!existsSync("/bin/sleep")) say("/bin/sleep is missing", "apt-get install coreutils");
  if (cgroupRoot === undefined) {
    say("cgroup v2 is not mounted", "mkdir -p /sys/fs/cgroup/unified && mount -t cgroup2 none /sys/fs/cgroup/unified");
  } else if (!isWritable(cgroupRoot)) {
    say(`cgroup v2 at ${cgroupRoot} is not writable`, `mount -o remount,rw ${cgroupRoot}`);
  }
  return problems;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

async function probedProblems(cgroupRoot: string | undefined): Promise<Problem[]> {
  if (process.platform !== "linux" || process.geteuid?.() !== 0) return [];
  const child = startHelper("probe.pl", cgroupRoot === undefined ? [] : [cgroupRoot], ["ignore", "pipe", "pipe"]);
  const failed = new Promise<unknown>((resolve) => child.once("error", resolve));
  if (child.stdout === null || child.stderr === null) throw new Error("a stream of the probe is missing");
  const answers = await Promise.race([Promise.all([text(child.stdout), text(child.stderr)]), failed]);
  if (!Array.isArray(answers)) {
    const what = errorCode(answers) === "ENOENT" ? "perl is missing" : `perl does not start: ${String(answers)}`;
    return [{ what, fix: "apt-get install perl-base" }];
  }
  return answers.join("").split("\n").filter(Boolean).map(problemOf);
}

function problemOf(line: string): Problem {
  const [name = ""] = line.split(" ", 1);
  return { what: line, fix: FIXES[name] ?? "apt-get install --reinstall perl-base" };
}
