import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { check } from "../../../providers/namespaces/check.ts";
import { cgroupRoot } from "../../../providers/namespaces/host.ts";

const NOBODY = 65_534;

describe("check", () => {
  it("finds nothing missing here", async () => {
    expect(await check(cgroupRoot())).toEqual({ ready: true, problems: [] });
  });

  it("says that cgroup v2 is not mounted, and how to mount it", async () => {
    const { ready, problems } = await check(undefined);
    expect(ready).toBe(false);
    expect(problems).toEqual([
      { what: "cgroup v2 is not mounted", fix: expect.stringContaining("mount -t cgroup2") as string },
    ]);
  });

  it("tells a folder that takes no processes from a cgroup", async () => {
    const { problems } = await check("/sys");
    expect(problems.map(({ what }) => what)).toContainEqual(expect.stringMatching(/^cgroup /));
  });

  it("says to a user who is not root that root is needed", async () => {
    const program = `import(${JSON.stringify(new URL("../../../providers/namespaces/check.ts", import.meta.url).href)})
      .then(({ check }) => check("/sys/fs/cgroup")).then((found) => console.log(JSON.stringify(found)))`;
    const { stdout } = await promisify(execFile)(process.execPath, ["-e", program], {
      uid: NOBODY,
      gid: NOBODY,
      cwd: "/",
    });
    const { ready, problems } = JSON.parse(stdout) as Awaited<ReturnType<typeof check>>;
    expect(ready).toBe(false);
    expect(problems).toContainEqual({ what: "not root", fix: expect.stringContaining("sudo") as string });
  });
});

describe("cgroupRoot", () => {
  it("finds the unified hierarchy wherever it is mounted", () => {
    const mounts = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw 0 0\n";
    expect(cgroupRoot(`${mounts}cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n`)).toBe("/sys/fs/cgroup/unified");
    expect(cgroupRoot("none /a\\040b cgroup2 rw 0 0\n")).toBe("/a b");
    expect(cgroupRoot(mounts)).toBeUndefined();
  });
});
