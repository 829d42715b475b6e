import { pause } from "../../../contract/clock.ts";
import type { Scenario } from "../../../engine/scenario.ts";
import { newToken } from "../../../history/tokens.ts";
import type { Spec } from "../../../schemas/messages.ts";

/** Creates that must be refused, and a look at whether the refusal was true. */
export const refusedCreate: Scenario = {
  id: "lifecycle.refused-create",
  alone: true,
  feeds: ["adapter.definite-honest"],
  async run(lab) {
    lab.host?.frame("refused-before");
    const invented: Spec & Record<string, unknown> = { [`x-sandproof-invented-${newToken()}`]: true };
    const attempts = [await lab.create({ spec: invented })];
    const undeclared = undeclaredOption(lab.description.capabilities);
    if (undeclared !== undefined) attempts.push(await lab.create({ spec: undeclared }));
    await lab.settle();
    // What a lagging list still shows is no effect; what it shows when the lag is over is one.
    await pause(lab.waits.listStaleMs);
    await lab.list("none", { probe: "adapter.definite-honest/list" });
    for (const { attempt } of attempts) for (const sandbox of lab.found(attempt)) await sandbox.destroy();
    await lab.host?.settle("refused-after", lab.waits.settleMs, "refused-before");
  },
};

/** One option of the spec whose capability is not declared. */
function undeclaredOption(declared: Record<string, unknown>): Spec | undefined {
  const options: readonly [string, Spec][] = [
    ["lifetime", { ttlSeconds: 600 }],
    ["images", { image: "sandproof-image" }],
    ["region", { region: "sandproof-region" }],
    ["mainProcess", { command: ["true"] }],
  ];
  return options.find(([capability]) => declared[capability] === undefined)?.[1];
}
