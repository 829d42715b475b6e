/** Every check and every scenario that is built. */
import type { Scenario } from "../engine/scenario.ts";
import { adapterChecks } from "./adapter/checks.ts";
import { undeclared } from "./adapter/scenarios/undeclared.ts";
import type { Check } from "./check.ts";
import { execChecks } from "./exec/checks.ts";
import { commands } from "./exec/scenarios/commands.ts";
import { counting } from "./exec/scenarios/counting.ts";
import { cutStream } from "./exec/scenarios/cut-stream.ts";
import { filesChecks } from "./files/checks.ts";
import { bothWays } from "./files/scenarios/both-ways.ts";
import { largeRoundTrip, roundTrip } from "./files/scenarios/round-trip.ts";
import { isolationChecks } from "./isolation/checks.ts";
import { lifecycleChecks } from "./lifecycle/checks.ts";
import { environment } from "./lifecycle/scenarios/environment.ts";
import { failedCreate } from "./lifecycle/scenarios/failed-create.ts";
import { lostReply } from "./lifecycle/scenarios/lost-reply.ts";
import { refusedCreate } from "./lifecycle/scenarios/refused-create.ts";
import { restart } from "./lifecycle/scenarios/restart.ts";
import { wholeLife } from "./lifecycle/scenarios/whole-life.ts";
import { residueChecks } from "./residue/checks.ts";

export const CHECKS: readonly Check[] = [
  ...adapterChecks,
  ...lifecycleChecks,
  ...execChecks,
  ...filesChecks,
  ...isolationChecks,
  ...residueChecks,
];

/** In the order in which they run: the quiet path first, planted faults last. */
export const SCENARIOS: readonly Scenario[] = [
  wholeLife,
  largeRoundTrip,
  roundTrip,
  environment,
  commands,
  bothWays,
  undeclared,
  cutStream,
  refusedCreate,
  counting,
  lostReply,
  failedCreate,
  restart,
];
