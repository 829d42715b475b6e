/** `npm run bench -- <name>` runs bench/<name>.ts. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = join(import.meta.dirname, "..", "bench");

const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -".ts".length));
const [name] = process.argv.slice(2);

if (name !== undefined && names.includes(name)) {
  await import(pathToFileURL(join(FOLDER, `${name}.ts`)).href);
} else {
  process.stderr.write(`Which benchmark? npm run bench -- ${names.join(" | ")}\n`);
  process.exitCode = 254;
}
