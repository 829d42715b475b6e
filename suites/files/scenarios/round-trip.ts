import { createHash } from "node:crypto";
import type { Random } from "../../../contract/random.ts";
import type { Sandbox } from "../../../engine/sandbox.ts";
import type { Scenario } from "../../../engine/scenario.ts";
import { exited } from "../../exits.ts";

const MIB = 1024 * 1024;
const SIZES = [
  ["empty", 0],
  ["one-byte", 1],
  ["binary", 256 * 257],
  ["8-mib", 8 * MIB],
  ["17-mib", 17 * MIB],
] as const;
const LARGE = [["64-mib", 64 * MIB]] as const;
const CHECK = "files.round-trip";

/** Content of known digest goes in by the API and is digested inside; content made inside comes out by the API. */
const carrying = (id: string, sizes: readonly (readonly [string, number])[]): Scenario => ({
  id,
  needs: "files",
  feeds: [CHECK],
  async run(lab) {
    const sandbox = await lab.sandbox();
    const { workdir, tools } = lab.description.guest;
    const most = lab.description.capabilities.files?.maxBytes ?? Number.POSITIVE_INFINITY;
    for (const [name, size] of sizes.filter(([, bytes]) => bytes <= most)) {
      const path = `${workdir}/${name}`;
      const content = bytesOf(size, lab.random);
      await lab.must(sandbox.write(path, content, { probe: `${CHECK}/write-${name}` }));
      await digestInside(sandbox, path, content, tools.includes("sha256sum"), name);
      const copy = `${path}.copy`;
      await lab.must(
        sandbox.exec(
          ["sh", "-c", 'cat "$0" >"$1"', path, copy],
          { expect: { exit: exited(0) } },
          { probe: `${CHECK}/copy-${name}` },
        ),
      );
      await sandbox.read(copy, content, { probe: `${CHECK}/read-${name}` });
      await sandbox.exec(["rm", "-f", path, copy]);
    }
    await sandbox.destroy();
  },
});

export const roundTrip = carrying(CHECK, SIZES);
/** Apart, so that the largest file travels beside other work: one big transfer must not stop it. */
export const largeRoundTrip = carrying(`${CHECK}-large`, LARGE);

async function digestInside(
  sandbox: Sandbox,
  path: string,
  content: Uint8Array,
  hasDigest: boolean,
  name: string,
): Promise<void> {
  const [script, stdout] = hasDigest
    ? ['sha256sum <"$0"', `${createHash("sha256").update(content).digest("hex")}  -\n`]
    : ['cat "$0"', content];
  await sandbox.exec(
    ["sh", "-c", script, path],
    { expect: { exit: exited(0), stdout } },
    { probe: `${CHECK}/inside-${name}` },
  );
}

/** Every byte value, CR LF, NUL and invalid UTF-8, in a pattern whose period divides no block size; another one for each seed. */
function bytesOf(size: number, random: Random): Uint8Array {
  const shift = Math.floor(random() * 256);
  const period = Buffer.from(Array.from({ length: 251 * 5 }, (_, i) => (i * 167 + (i >> 3) + shift) & 0xff));
  return Buffer.alloc(size, period);
}
