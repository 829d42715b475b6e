/** Compiles the package into dist/ and copies what is not TypeScript beside it. */
import { cpSync, rmSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { execa } from "execa";

const ROOT = join(import.meta.dirname, "..");
const DIST = join(ROOT, "dist");

/** Folders with files that the code reads at run time. */
const ASSET_FOLDERS = ["contract/requirements", "providers", "schemas/json", "wire"];
const ASSETS: ReadonlySet<string> = new Set([".json", ".md", ".pl", ".sh"]);

const isAsset = (path: string): boolean => statSync(path).isDirectory() || ASSETS.has(extname(path));

rmSync(DIST, { recursive: true, force: true });
const compiled = await execa("tsc", ["-p", "tsconfig.build.json"], {
  cwd: ROOT,
  preferLocal: true,
  stdio: "inherit",
  reject: false,
});
process.exitCode = compiled.exitCode ?? 1;
if (!compiled.failed) {
  for (const folder of ASSET_FOLDERS) {
    cpSync(join(ROOT, folder), join(DIST, folder), { recursive: true, filter: isAsset });
  }
}
