/**
 * What a run left, seen from outside and without the witness of the product: the kernel and the file system are asked anew.
 * Others may use this machine at the same time: a process is the run's when its environment or command line names the run's
 * folder, when it descends from the started program, or when it is in a cgroup that is.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pause } from "../../contract/clock.ts";
import { cgroupRoot } from "../../providers/namespaces/host.ts";

/** The host's pid 1 may reap seconds after an end. */
const GONE_WITHIN_MS = 5_000;
/** A cgroup without a process that nothing ties to the run may be one that a neighbour is about to fill or to remove. */
const OTHERS_GONE_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 100;
/** A sandbox that fails while it is made has its record for some 10 ms. */
const WATCH_EVERY_MS = 5;
const PF_EXITING = 0x4;

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** `pid@start`: a number alone is given out again. */
  readonly identity: string;
}

const text = (path: string): string => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // Gone between two looks, which is all that is asked here.
    return "";
  }
};

const names = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** The living ones. */
function processes(): Process[] {
  return names("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = text(`/proc/${name}/stat`);
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const [state = "X", parent = "0"] = fields;
      if (stat === "" || "ZXx".includes(state) || (Number(fields[6]) & PF_EXITING) !== 0) return [];
      return [{ pid: Number(name), parent: Number(parent), identity: `${name}@${fields[19]}` }];
    });
}

/** Path with inode: a name is given out again. */
function cgroups(): Map<string, string> {
  const found = new Map<string, string>();
  const walk = (folder: string): void => {
    const inode = statSync(folder, { throwIfNoEntry: false })?.ino;
    if (inode === undefined) return;
    found.set(`${folder} ${inode}`, folder);
    for (const name of names(folder)) {
      if (statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory() === true) walk(join(folder, name));
    }
  };
  const root = cgroupRoot() ?? "";
  for (const name of names(root)) if (name.startsWith("sandproof-")) walk(join(root, name));
  return found;
}

/** Of everything below `folder`, itself included. */
export function treeOf(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return [folder, ...names(folder).flatMap((name) => treeOf(join(folder, name)))];
}

const isPopulated = (cgroup: string): boolean => text(join(cgroup, "cgroup.events")).includes("populated 1");

export class Outside {
  readonly #root: string;
  readonly #processesBefore: ReadonlySet<string>;
  readonly #cgroupsBefore: ReadonlySet<string>;
  readonly #known = new Set<string>();
  readonly #ids = new Set<string>();

  /** @param root the folder of which everything of the run has a part in its environment: state, temp and out lie in it. */
  constructor(root: string) {
    this.#root = root;
    this.#processesBefore = new Set(processes().map(({ identity }) => identity));
    this.#cgroupsBefore = new Set(cgroups().keys());
  }

  /** Learns what belongs to the run, while it is there: descendants lose their parent with it, sandboxes their record. */
  sample(): void {
    const all = processes();
    for (const one of all) if (this.#names(one.pid)) this.#known.add(one.identity);
    for (let more = true; more; ) {
      const pids = new Set(all.filter(({ identity }) => this.#known.has(identity)).map(({ pid }) => pid));
      const found = all.filter(({ identity, parent }) => pids.has(parent) && !this.#known.has(identity));
      for (const { identity } of found) this.#known.add(identity);
      more = found.length > 0;
    }
    this.#learnIds();
  }

  /** Learns the ids of sandboxes all the time, until the function that it gives is called. */
  watch(): () => void {
    const timer = setInterval(() => this.#learnIds(), WATCH_EVERY_MS);
    return () => clearInterval(timer);
  }

  #learnIds(): void {
    const runs = join(this.#root, "state", "sandproof", "runs");
    for (const run of names(runs)) {
      for (const id of names(join(runs, run, "adapter", "state", "sandproof-namespaces"))) this.#ids.add(id);
    }
  }

  /** What is there now that was not before, in words. `perhaps` may be somebody else's. */
  left(): { readonly ours: readonly string[]; readonly perhaps: readonly string[] } {
    this.sample();
    const fresh = [...cgroups()].filter(([identity]) => !this.#cgroupsBefore.has(identity)).map(([, path]) => path);
    const isOurs = (path: string) => [...this.#ids].some((id) => path.includes(id));
    const inOurs = (pid: number) => isOurs(text(`/proc/${pid}/cgroup`));
    return {
      ours: [
        ...processes()
          .filter(({ identity }) => !this.#processesBefore.has(identity))
          .filter(({ identity, pid }) => this.#known.has(identity) || inOurs(pid))
          .map(({ pid }) => `process ${pid} ${text(`/proc/${pid}/cmdline`).replaceAll("\0", " ")}`),
        ...fresh.filter(isOurs).map((path) => `cgroup ${path}`),
        ...text("/proc/self/mountinfo")
          .split("\n")
          .filter((line) => line.includes(this.#root))
          .map((line) => `mount ${line}`),
        ...["state", "temp"].flatMap((name) => treeOf(join(this.#root, name)).slice(1)).map((path) => `entry ${path}`),
      ],
      perhaps: fresh
        .filter((path) => /\/sandproof-\d+$/.test(path) && !isOurs(path) && !isPopulated(path))
        .map((path) => `cgroup without process ${path}`),
    };
  }

  /** What is still there when all that ends by itself has had its time. */
  async residue(): Promise<readonly string[]> {
    const begun = performance.now();
    for (;;) {
      const { ours, perhaps } = this.left();
      const waited = performance.now() - begun;
      if (ours.length > 0 && waited > GONE_WITHIN_MS) return ours;
      if (ours.length === 0 && (perhaps.length === 0 || waited > OTHERS_GONE_WITHIN_MS)) return perhaps;
      await pause(LOOK_EVERY_MS);
    }
  }

  #names(pid: number): boolean {
    if (pid === process.pid) return false;
    return [text(`/proc/${pid}/environ`), text(`/proc/${pid}/cmdline`)].some((found) => found.includes(this.#root));
  }
}
