/** `node mutants/serve.ts <id>`: the embedded provider with one planted fault, on the wire. */
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// Started many times by the kill matrix; the modules are loaded after this so that they come from the cache.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/sandproof", import.meta.url)));
const { serveMutant } = await import("./serve-mutant.ts");
await serveMutant(process.argv[2]);
process.exit(0);
