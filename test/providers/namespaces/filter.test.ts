import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { check } from "../../../providers/namespaces/check.ts";
import { describe as description } from "../../../providers/namespaces/description.ts";
import type { SandboxId } from "../../../schemas/core.ts";
import { type Bench, call, exited, openBench } from "./support.ts";

const [SOCKET, SOCKETPAIR] = process.arch === "arm64" ? [198, 199] : [41, 53];
const [IO_URING_SETUP, X32] = [425, 0x4000_0000];
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
const [UNIX, INET, INET6, NETLINK, PACKET, ALG, VSOCK] = [1, 2, 10, 16, 17, 38, 40];
const [STREAM, RAW] = [1, 3];
const COMMAND_MS = 10_000;

let bench: Bench;
let id: SandboxId;
beforeAll(async () => {
  bench = await openBench();
  id = await bench.create();
});
afterAll(() => bench.close());

const sh = async (script: string): Promise<string> => {
  const { exit, stdout, stderr } = await bench.run(id, { script, timeoutMs: COMMAND_MS });
  expect([exit, stderr]).toEqual([exited(0), ""]);
  return stdout;
};

/** A perl statement: makes the call, prints 0 or the errno. */
const attempt = (...words: (number | string)[]): string =>
  `print syscall(${words.join(", ")}) < 0 ? $! + 0 : 0, "\\n"; `;

const answers = async (program: string, around = (perl: string) => perl): Promise<number[]> =>
  (await sh(around(`perl -e '${program}'`))).trim().split("\n").map(Number);

const opened = [VSOCK, PACKET, ALG].map((family) => attempt(SOCKET, family, STREAM, 0)).join("");
const refused = [EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT];

describe("the filter", () => {
  it("is declared", () => {
    expect(description().capabilities.hardening).toEqual({ noNewPrivs: true, seccomp: true });
  });

  it("lets no program open AF_VSOCK, AF_PACKET or AF_ALG: not after a fork, an exec or in a namespace of its own", async () => {
    expect(await answers(opened)).toEqual(refused);
    expect(await answers(`if (fork) { wait } else { ${opened} }`)).toEqual(refused);
    expect(await answers(opened, (perl) => `env sh -c '${perl.replaceAll("'", "'\\''")}'`)).toEqual(refused);
    expect(await answers(opened, (perl) => `unshare -Urn ${perl}`)).toEqual(refused);
  });

  it("holds a child that process 1 took over", async () => {
    const orphan = `perl -e 'exit if fork; select(undef, undef, undef, 0.01) while getppid() != 1; ${opened} print getppid(), "\\n"'`;
    expect(
      (await sh(`: > orphan; ${orphan} > orphan & until grep -qx 1 orphan; do sleep 0.05; done; cat orphan`)).trim(),
    ).toBe([...refused, 1].join("\n"));
  });

  it("is on every process: process 1, commands and file operations", async () => {
    const statuses =
      "until ls .sandproof-* 2>/dev/null; do sleep 0.05; done; grep -hE '^(Name|Seccomp):' /proc/[1-9]*/status";
    let seen = "";
    const whileWriting = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from("x");
      seen = await sh(statuses);
    };
    await bench.adapter.files?.write({ id, path: "file" }, whileWriting(), call());
    const [writing, ...lines] = seen.trim().split("\n");
    expect(writing).toMatch(/^\.sandproof-/);
    for (const name of ["sleep", "sandproof-enter", "sh"]) expect(lines).toContain(`Name:\t${name}`);
    const modes = lines.filter((line) => line.startsWith("Seccomp:"));
    expect(modes).toEqual(Array.from({ length: lines.length / 2 }, () => "Seccomp:\t2"));
  });

  it("reads the family as the kernel does, from the low half", async () => {
    const high = 2 ** 32;
    expect(await answers(attempt(SOCKET, high + VSOCK, STREAM, 0) + attempt(SOCKET, high + UNIX, STREAM, 0))).toEqual([
      EAFNOSUPPORT,
      0,
    ]);
  });

  it("refuses socketpair as socket, and io_uring as a kernel without it", async () => {
    const pair = (family: number) => attempt(SOCKETPAIR, family, STREAM, 0, "my $pair = pack(q(ii), 0, 0)");
    const ring = attempt(IO_URING_SETUP, 1, 0);
    expect(await answers(pair(VSOCK) + pair(UNIX) + ring)).toEqual([EAFNOSUPPORT, 0, ENOSYS]);
  });

  it("lets through the families that the network namespace holds", async () => {
    const kinds = [UNIX, INET, INET6].map((family) => attempt(SOCKET, family, STREAM, 0)).join("");
    expect(await answers(kinds + attempt(SOCKET, NETLINK, RAW, 0))).toEqual([0, 0, 0, 0]);
  });

  it("leaves ordinary programs as they were", async () => {
    const programs =
      "seq 3 | sort -r | awk '{s+=$1} END {print s}' && tar -cf - -C /etc passwd | tar -t && find /etc/hosts -type f && timeout 5 true";
    expect(await sh(programs)).toBe("6\npasswd\n/etc/hosts\n");
    const python = "import socket, subprocess; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))";
    expect(await sh(`if command -v python3 > /dev/null; then python3 -c "${python}"; else echo "b'x'"; fi`)).toBe(
      "b'x'\n",
    );
  });
});

describe.runIf(process.arch === "x64")("another architecture", () => {
  it("of x32 numbers is refused, but a skipped call is not", async () => {
    const calls = attempt(X32 + SOCKET, VSOCK, STREAM, 0) + attempt(X32 + 39) + attempt(-1);
    expect(await answers(calls)).toEqual([EPERM, EPERM, ENOSYS]);
  });

  it("of i386 ends the program", async () => {
    // mov eax, 20 (getpid of i386); int 0x80; mov edi, 0; mov eax, 60 (exit of x86-64); syscall
    const code = Buffer.from("b814000000cd80bf00000000b83c0000000f05", "hex");
    await bench.adapter.files?.write({ id, path: "i386", mode: 0o755 }, content(program(code)), call());
    expect((await bench.run(id, { argv: ["./i386"] })).exit).toEqual({ kind: "signaled", signal: "SIGSYS" });
  });
});

async function* content(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** A 64-bit ELF file: header, one segment to load, code. */
function program(code: Uint8Array): Buffer {
  const [headers, address] = [64 + 56, 0x40_0000n];
  const head = Buffer.alloc(headers);
  head.write("7f454c46020101", 0, "hex");
  head.writeUInt16LE(2, 16); // ET_EXEC
  head.writeUInt16LE(62, 18); // EM_X86_64
  head.writeUInt32LE(1, 20);
  head.writeBigUInt64LE(address + BigInt(headers), 24);
  head.writeBigUInt64LE(64n, 32);
  head.writeUInt16LE(64, 52);
  head.writeUInt16LE(56, 54);
  head.writeUInt16LE(1, 56);
  head.writeUInt32LE(1, 64); // PT_LOAD
  head.writeUInt32LE(5, 68); // read, execute
  head.writeBigUInt64LE(address, 80);
  head.writeBigUInt64LE(address, 88);
  head.writeBigUInt64LE(BigInt(headers + code.length), 96);
  head.writeBigUInt64LE(BigInt(headers + code.length), 104);
  head.writeBigUInt64LE(0x1000n, 112);
  return Buffer.concat([head, code]);
}

describe("without a filter in the kernel", () => {
  it("check says so, and what to do", async () => {
    const folder = fileURLToPath(new URL("../../../providers/namespaces", import.meta.url));
    const node = `import(${JSON.stringify(`${folder}/check.ts`)}).then(({ check }) => check("/sys/fs/cgroup")).then((found) => console.log(JSON.stringify(found)))`;
    // A filter that answers prctl(PR_SET_SECCOMP, …) as a kernel without CONFIG_SECCOMP_FILTER does.
    const [prctl, option, einval] = [process.arch === "arm64" ? 167 : 157, 22, 22];
    const perl = `my ($folder, @command) = @ARGV; require "$folder/$_.pl" for qw(kernel filter);
      my @refuse = (load(FAMILY()), if_true(EQUAL(), ${option}, result(FAIL_WITH() | ${einval})));
      install_filter(load(CALL()), if_true(EQUAL(), ${prctl}, @refuse), result(ALLOW()));
      exec @command;`;
    const { stdout } = await promisify(execFile)("perl", ["-e", perl, folder, process.execPath, "-e", node]);
    const { problems } = JSON.parse(stdout) as Awaited<ReturnType<typeof check>>;
    expect(problems).toContainEqual({
      what: "seccomp filter of system calls: Invalid argument",
      fix: expect.stringContaining("CONFIG_SECCOMP_FILTER") as string,
    });
  });
});
