import type { Capability } from "../contract/capabilities.ts";
import type { Description } from "../schemas/description.ts";
import type { Lab } from "./lab.ts";

/** A way to exercise a provider. It decides nothing: what it recorded is judged afterwards. */
export interface Scenario {
  readonly id: string;
  /** Checks that get evidence from it; it runs when one of them is selected. */
  readonly feeds: readonly string[];
  readonly needs?: Capability;
  /** Kills the adapter or frames the host: nothing else may run beside it. */
  readonly alone?: true;
  run(lab: Lab): Promise<void>;
}

export const applies = (scenario: Scenario, description: Description): boolean =>
  scenario.needs === undefined || description.capabilities[scenario.needs] !== undefined;
