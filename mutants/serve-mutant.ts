import type { AdapterContext } from "../contract/port.ts";
import open from "../providers/namespaces/index.ts";
import { serve } from "../wire/server.ts";
import { takeStdio } from "../wire/stdio.ts";
import { MUTANTS } from "./catalogue.ts";

/** Serves until the harness ends it. @throws when there is no such mutant. */
export async function serveMutant(id: string | undefined): Promise<void> {
  const mutant = MUTANTS.find((one) => one.id === id);
  if (mutant === undefined) throw new Error(`there is no mutant ${id}`);
  const openMutant = (context: AdapterContext) => {
    const honest = open(context);
    return mutant.plant?.(honest, context) ?? honest;
  };
  await serve(openMutant, { ...takeStdio(), ...(mutant.tamper === undefined ? {} : { tamper: mutant.tamper }) });
}
