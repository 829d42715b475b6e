/** `node mutants/serve.ts <id>`: the embedded provider with one planted fault, on the wire. */
import type { AdapterContext } from "../contract/port.ts";
import open from "../providers/namespaces/index.ts";
import { serve } from "../wire/server.ts";
import { takeStdio } from "../wire/stdio.ts";
import { MUTANTS } from "./catalogue.ts";

const [, , id] = process.argv;
const mutant = MUTANTS.find((one) => one.id === id);
if (mutant === undefined) throw new Error(`there is no mutant ${id}`);
const openMutant = async (context: AdapterContext) => {
  const honest = await open(context);
  return mutant.plant?.(honest, context) ?? honest;
};
await serve(openMutant, { ...takeStdio(), ...(mutant.tamper === undefined ? {} : { tamper: mutant.tamper }) });
process.exit(0);
