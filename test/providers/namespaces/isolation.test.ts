import { mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxId } from "../../../schemas/core.ts";
import { type Bench, exited, openBench } from "./support.ts";

const KEYCTL = process.arch === "arm64" ? 219 : 250;

let bench: Bench;
let [id, sibling]: SandboxId[] = [];
beforeAll(async () => {
  bench = await openBench();
  [id, sibling] = [await bench.create(), await bench.create()];
});
afterAll(() => bench.close());

const inside = async (script: string, of = id): Promise<string> => {
  if (of === undefined) throw new Error("no sandbox");
  return (await bench.run(of, script)).stdout;
};

describe("a sandbox", () => {
  it("has namespaces of its own", async () => {
    const links = "for n in user mnt pid ipc uts net cgroup; do readlink /proc/self/ns/$n; done";
    const [own, other] = [(await inside(links)).split("\n"), (await inside(links, sibling)).split("\n")];
    const host = ["user", "mnt", "pid", "ipc", "uts", "net", "cgroup"].map((n) => readlinkSync(`/proc/self/ns/${n}`));
    for (const [i, name] of host.entries()) expect(new Set([name, own[i], other[i]]).size).toBe(3);
  });

  it("has no privilege: an unprivileged user of the host, no capability, no way to get one", async () => {
    const status = await inside("cat /proc/self/status");
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status.match(/^Cap\w+:\t(0+)$/gm)?.length).toBe(5);
    const [, first] = (await inside("cat /proc/self/uid_map")).trim().split(/\s+/);
    expect(Number(first)).toBeGreaterThanOrEqual(0x7000_0000);
    expect((await inside("cat /proc/1/status")).match(/^Cap\w+:\t(0+)$/gm)?.length).toBe(5);
  });

  it("cannot open a knob of the kernel, nor read a masked path, nor undo a mask in a nested namespace", async () => {
    const knobs =
      "/proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sysrq-trigger /proc/sys/net/ipv4/ip_forward /etc/passwd";
    expect(await inside(`for k in ${knobs}; do (: >> $k) 2>/dev/null && echo $k; done`)).toBe("");
    expect(await inside("cat /proc/cmdline /proc/kcore /proc/keys /proc/timer_list /proc/kmsg 2>/dev/null")).toBe("");
    expect(await inside("cat /proc/1/environ /proc/1/maps 2>/dev/null; ls /proc/1/root/ /sys 2>/dev/null")).toBe("");
    const nested =
      "unshare -Urm sh -c 'umount /proc/keys || mount -o remount,rw /proc/sys || mount -o remount,rw /usr' 2>/dev/null";
    expect(await inside(`${nested} && echo undone`)).toBe("");
  });

  it("has the devices that programs need, and no other", async () => {
    const devices = await inside("cd /dev; stat -c '%n %F %t,%T' null zero full random urandom tty; ls");
    const nodes = ["null 1,3", "zero 1,5", "full 1,7", "random 1,8", "urandom 1,9", "tty 5,0"];
    const names = "fd full null ptmx pts random shm stderr stdin stdout tty urandom zero";
    expect(devices.trim().split("\n")).toEqual([
      ...nodes.map((line) => line.replace(" ", " character special file ")),
      ...names.split(" "),
    ]);
    expect(
      await inside("echo x > /dev/null && echo y > /dev/shm/y && cat /dev/shm/y; head -c 4 /dev/zero | wc -c"),
    ).toBe("y\n4\n");
    expect(await inside("script -qec true /dev/null </dev/null && echo terminal")).toBe("terminal\n");
  });

  it("sees no process, file or name of the host or a sibling", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sandproof-canary-"));
    writeFileSync(join(folder, "canary"), "x", { mode: 0o644 });
    const seen = await inside(`cat ${folder}/canary; ls ${bench.state}; ls /tmp`);
    rmSync(folder, { recursive: true });
    expect(seen).toBe("");
    await inside("touch /tmp/mine /dev/shm/mine ~/mine");
    expect(await inside("ls -d /tmp/mine /dev/shm/mine ~/mine 2>/dev/null", sibling)).toBe("");
    const pids = (await inside("ls /proc | grep -c '^[0-9]'")).trim();
    expect(Number(pids)).toBeLessThan(8);
    expect(await inside("hostname; cat /etc/resolv.conf /etc/machine-id 2>/dev/null")).toBe(`${id}\n`);
    expect(await inside("cat /proc/self/cgroup /proc/self/mountinfo")).not.toMatch(/sandproof-|process_api/);
    expect(await inside("cat /proc/*/cmdline | tr '\\0' ' '")).not.toContain("providers");
  });

  it("reaches its own loopback and no other", async () => {
    const server = createServer((socket) => socket.end("host"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : 0;
    const connect = (to: number) =>
      `perl -MIO::Socket::INET -e 'exit !IO::Socket::INET->new("127.0.0.1:${to}")' && echo open`;
    expect(await inside(connect(port ?? 0))).toBe("");
    const listen = `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1:4000"); $| = 1; print "on\\n"; sleep 60' & sleep 0.3; `;
    expect(await inside(`${listen} ${connect(4000)}`)).toBe("on\nopen\n");
    expect(await inside(connect(4000), sibling)).toBe("");
    server.close();
  });

  it("has a session keyring of its own in every command", async () => {
    const session = `perl -e 'print syscall(${KEYCTL}, 0, -3, 0)'`;
    const seen = [await inside(session), await inside(session, sibling)];
    for (const serial of seen) expect(Number(serial)).toBeGreaterThan(0);
    expect(new Set(seen).size).toBe(2);
    expect(readFileSync("/proc/keys", "utf8")).not.toBe("");
  });

  it("starts in a session of its own, without the adapter's terminal", async () => {
    expect(await inside("set -- $(cat /proc/self/stat); echo $6 $7 $$")).toMatch(/^(\d+) 0 \1\n$/);
    if (id === undefined) throw new Error("no sandbox");
    expect((await bench.run(id, ": > /dev/tty")).exit).not.toEqual(exited(0));
  });
});
