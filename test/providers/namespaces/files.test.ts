import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FilesPort } from "../../../contract/port.ts";
import type { SandboxId } from "../../../schemas/core.ts";
import { type Bench, call, exited, openBench } from "./support.ts";

const MIB = 1_048_576;

let bench: Bench;
let id: SandboxId;
let files: FilesPort;
beforeAll(async () => {
  bench = await openBench();
  id = await bench.create();
  if (bench.adapter.files === undefined) throw new Error("files are declared and missing");
  files = bench.adapter.files;
});
afterAll(() => bench.close());

async function* chunks(...list: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of list) yield Buffer.from(chunk);
}

async function* pattern(bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += 65_536) yield Buffer.alloc(Math.min(65_536, bytes - at), (at >> 16) * 7 + 13);
}

const write = (path: string, ...list: (string | Uint8Array)[]) => files.write({ id, path }, chunks(...list), call());

async function read(path: string): Promise<string> {
  const parts: Uint8Array[] = [];
  const { bytes } = await files.read({ id, path }, async (chunk) => void parts.push(chunk), call());
  const whole = Buffer.concat(parts);
  expect(bytes).toBe(whole.length);
  return whole.toString("latin1");
}

const sh = async (script: string): Promise<string> => {
  const { exit, stdout, stderr } = await bench.run(id, script);
  expect([exit, stderr]).toEqual([exited(0), ""]);
  return stdout;
};

describe("content", () => {
  it.each([0, 1, 65_535, 65_537, 8 * MIB, 64 * MIB])("of %i bytes goes in and out unchanged", async (size) => {
    const sent = createHash("sha256");
    for await (const chunk of pattern(size)) sent.update(chunk);
    const digest = sent.digest("hex");
    expect(await files.write({ id, path: "data" }, pattern(size), call())).toEqual({ bytes: size });
    expect(await sh("sha256sum < data")).toContain(digest);
    const got = createHash("sha256");
    const result = await files.read({ id, path: "data" }, async (chunk) => void got.update(chunk), call());
    expect([result.bytes, got.digest("hex")]).toEqual([size, digest]);
    await files.remove({ id, path: "data" }, call());
  });

  it("holds every byte value, as the guest wrote it", async () => {
    const all = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
    await write("bytes", all);
    expect(await read("bytes")).toBe(all.toString("latin1"));
    await sh("printf 'a\\000\\377\\r\\n' > other");
    expect(await read("other")).toBe("a\0\xff\r\n");
  });

  it("is replaced as a whole: no tail of the old, the mode kept or set, the owner the exec user", async () => {
    await write("replaced", "long old content");
    await sh("chmod 640 replaced");
    await write("replaced", "new");
    expect(await sh("cat replaced; stat -c ' %a %U %G' replaced")).toBe("new 640 sandbox sandbox\n");
    await files.write({ id, path: "replaced", mode: 0o755 }, chunks("#!/bin/sh\necho ran\n"), call());
    expect(await sh("./replaced; stat -c %a replaced")).toBe("ran\n755\n");
  });

  it.each(["sp ace", "-dash", "new\nline", "e\u0301", "\u00e9", "x".repeat(255), "'\"$(id)`"])(
    "takes the name %j",
    async (name) => {
      await write(`names/${name}`, name);
      expect(Buffer.from(await read(`names/${name}`), "latin1").toString()).toBe(name);
      const { entries } = await files.list({ id, path: "names" }, call());
      expect(entries).toContainEqual({ name, kind: "file", size: Buffer.byteLength(name), mode: 0o644 });
      await files.remove({ id, path: `names/${name}` }, call());
    },
  );
});

describe("atomic upload", () => {
  it("leaves the old content, and nothing beside it, when content breaks or the call is cancelled", async () => {
    await write("kept/file", "old");
    const broken = (async function* () {
      yield Buffer.from("half");
      throw new Error("the caller broke off");
    })();
    await expect(files.write({ id, path: "kept/file" }, broken, call())).rejects.toThrow("the caller broke off");

    const abort = new AbortController();
    const endless = (async function* () {
      yield Buffer.from("half");
      abort.abort();
      await new Promise(() => undefined);
    })();
    const cancelled = files.write({ id, path: "kept/file" }, endless, call(abort.signal));
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
    expect(await sh("ls -A kept; cat kept/file")).toBe("file\nold");
  });

  it("shows a reader one whole content while others write", async () => {
    await write("race", "0".repeat(200_000));
    const writers = [1, 2, 3, 4].map((n) => write("race", String(n).repeat(200_000)));
    const seen = await Promise.all([read("race"), read("race"), ...writers]);
    for (const content of seen.slice(0, 2)) expect(new Set(content as string).size).toBe(1);
    expect(new Set(await read("race")).size).toBe(1);
  });
});

describe("names and links", () => {
  it("makes parents, lists all kinds, tells sizes and modes", async () => {
    await write("tree/a/b/.hidden", "123");
    await sh("cd tree; ln -s a link; mkfifo fifo; chmod 700 a; mkdir many; cd many; seq 2000 | xargs touch");
    const { entries, complete } = await files.list({ id, path: "tree" }, call());
    expect(complete).toBe(true);
    expect(entries.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "a directory",
      "fifo other",
      "link link",
      "many directory",
    ]);
    expect(await files.stat({ id, path: "tree/a" }, call())).toMatchObject({ kind: "directory", mode: 0o700 });
    expect(await files.stat({ id, path: "tree/a/b/.hidden" }, call())).toEqual({ kind: "file", size: 3, mode: 0o644 });
    expect((await files.list({ id, path: "tree/many" }, call())).entries.length).toBe(2000);
    const all = await files.list({ id, path: "tree", recursive: true }, call());
    expect(all.entries.map(({ name }) => name)).toContain("a/b/.hidden");
  });

  it("follows links inside, and never out", async () => {
    await sh("mkdir -p links/to; ln -s to/target links/link; ln -s /etc/passwd links/passwd; ln -s loop links/loop");
    await write("links/link", "through");
    expect(await sh("readlink links/link; cat links/to/target")).toBe("to/target\nthrough");
    expect(await read("links/link")).toBe("through");
    expect(await read("links/passwd")).toBe(await sh("cat /etc/passwd"));
    expect(await read("../../../../../../etc/hostname")).toBe(`${id}\n`);
    await expect(write("links/passwd", "x")).rejects.toMatchObject({ code: "permission-denied" });
    await expect(write("links/loop", "x")).rejects.toMatchObject({ code: "invalid-argument" });
  });

  it("removes what was named, never what a link points to", async () => {
    await sh("mkdir -p gone/sub target; touch gone/sub/x target/keep; ln -s ../target gone/link; ln -s target link2");
    await expect(files.remove({ id, path: "gone" }, call())).rejects.toMatchObject({ code: "conflict" });
    await files.remove({ id, path: "gone", recursive: true }, call());
    await files.remove({ id, path: "link2", recursive: true }, call());
    expect(await sh("ls target; ls -d gone link2 2>/dev/null; true")).toBe("keep\n");
    await expect(files.remove({ id, path: "gone" }, call())).rejects.toMatchObject({ code: "not-found" });
  });

  it("makes folders", async () => {
    await files.makeDirectory({ id, path: "new/deep" }, call());
    await expect(files.makeDirectory({ id, path: "new/deep" }, call())).rejects.toMatchObject({
      code: "already-exists",
    });
    await files.makeDirectory({ id, path: "new/deep", recursive: true }, call());
    expect(await files.stat({ id, path: "new/deep" }, call())).toMatchObject({ kind: "directory", mode: 0o755 });
  });
});

describe("refusals", () => {
  it.each([
    ["a missing file", "nothing", "not-found"],
    ["a missing folder", "nothing/at/all", "not-found"],
    ["a folder", "/tmp", "invalid-argument"],
    ["a device", "/dev/zero", "invalid-argument"],
    ["a file of /proc", "/proc/self/status", "invalid-argument"],
    ["a FIFO", "/tmp/fifo", "invalid-argument"],
    ["a forbidden file", "/root/x", "permission-denied"],
  ])("reads no content of %s", async (_, path, code) => {
    await sh("[ -e /tmp/fifo ] || mkfifo /tmp/fifo");
    await expect(read(path)).rejects.toMatchObject({ code });
  });

  it("writes no content over a folder, a device, a FIFO, or where it has no right", async () => {
    await sh("mkdir -p /tmp/folder");
    for (const path of ["/tmp/folder", "/tmp/folder/", "/dev/null", "/tmp/fifo"]) {
      await expect(write(path, "x")).rejects.toMatchObject({ code: "invalid-argument" });
    }
    for (const path of ["/etc/new", "/usr/new", "/new"]) {
      await expect(write(path, "x")).rejects.toMatchObject({ code: "permission-denied" });
    }
  });

  it("answers not-found for a sandbox that is gone", async () => {
    const gone = await bench.create();
    await bench.adapter.destroy({ id: gone }, call());
    await expect(files.stat({ id: gone, path: "/tmp" }, call())).rejects.toMatchObject({ code: "not-found" });
  });

  it("leaves no cgroup of a finished operation behind", async () => {
    const inventory = await bench.adapter.inventory?.native(call());
    expect(inventory?.items.filter(({ identity }) => identity.includes("/exec-"))).toEqual([]);
  });
});
