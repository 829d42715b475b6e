#!/usr/bin/env node
// Old Node versions must be able to parse this file: they get a sentence, not a syntax error.
import { existsSync } from "fs";
import module from "module";
import { fileURLToPath } from "url";

var NEEDED = [22, 19];
var USAGE_ERROR = 254;
var HARNESS_ERROR = 255;

var found = process.versions.node.split(".").map(Number);
var tooOld = found[0] < NEEDED[0] || (found[0] === NEEDED[0] && found[1] < NEEDED[1]);

if (tooOld) {
  process.stderr.write(
    "sandproof needs Node.js " +
      NEEDED.join(".") +
      " or newer, and this is " +
      process.versions.node +
      ". Install a newer one from https://nodejs.org, or use `npx sandproof` inside the repository after `npm ci`.\n",
  );
  process.exitCode = USAGE_ERROR;
} else {
  // The repository runs its TypeScript directly; the package ships compiled JavaScript (docs/adr/0002).
  process.exitCode = HARNESS_ERROR;
  var source = new URL("../cli/main.ts", import.meta.url);
  var inRepository = existsSync(source);
  // Types are stripped once, not at each start: half of the start time.
  if (inRepository)
    module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/sandproof", import.meta.url)));
  var main = inRepository ? source : new URL("../dist/cli/main.js", import.meta.url);
  import(main.href).catch(function (error) {
    process.stderr.write("sandproof could not start: " + error.message + "\n");
    process.exit(HARNESS_ERROR);
  });
}
