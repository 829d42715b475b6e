import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "./files.ts";

const BUILD_AND_INSTALL_MS = 300_000;

let folder = "";
let installed = "";

const npm = (args: readonly string[], cwd: string) =>
  execa("npm", [...args, "--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts"], { cwd });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sandproof-package-"));
  installed = join(folder, "node_modules", "sandproof");
  await execa(process.execPath, ["scripts/build.ts"], { cwd: ROOT });
  await npm(["pack", "--pack-destination", folder], ROOT);
  const [tarball] = await readdir(folder);
  await npm(["install", "--prefix", folder, join(folder, tarball ?? "")], folder);
}, BUILD_AND_INSTALL_MS);

afterAll(() => rm(folder, { recursive: true, force: true }));

test("the packed package, installed into an empty folder, runs", async () => {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
  const bin = join(installed, "bin", "sandproof.js");
  const run = (...args: readonly string[]) => execa(process.execPath, [bin, ...args], { cwd: folder });

  expect((await run("--version")).stdout).toBe(version);
  expect((await run("list")).stdout).toContain("lifecycle.create-usable");
});

test("the author of an adapter can import it", async () => {
  const source = `
    import { ProviderError } from "sandproof";
    import { createRequire } from "node:module";
    const { $id } = createRequire(import.meta.url)("sandproof/schemas/description.json");
    console.log(new ProviderError("not-found", "x").definite, $id);`;
  const { stdout } = await execa(process.execPath, ["--input-type=module", "--eval", source], { cwd: folder });
  expect(stdout).toBe("true sandproof:description/1");
});

test("the example adapter, copied beside it as its comment says, is ready", async () => {
  const example = await readFile(join(ROOT, "examples", "adapters", "typescript", "directory.ts"), "utf8");
  await writeFile(join(folder, "my-adapter.ts"), example.replace('} from "../../../index.ts"', '} from "sandproof"'));
  const bin = join(installed, "bin", "sandproof.js");
  const { stdout } = await execa(process.execPath, [bin, "doctor", "./my-adapter.ts"], { cwd: folder });
  expect(stdout).toContain("directory 1 (boundary process): ready");
});

test("publint has nothing to say about the package", async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true, pack: false });
  expect(messages).toEqual([]);
});
