import type { Scenario } from "../../../engine/scenario.ts";
import { replaceInKind } from "../foreign-id.ts";
import { untilListed } from "../listed.ts";

const AT_ONCE = 3;
const AGAIN = 10;

/** Sandboxes made at once, seen, used, destroyed and looked for: the quiet path that every other scenario stands on. */
export const wholeLife: Scenario = {
  id: "lifecycle.whole-life",
  feeds: [
    "adapter.reply-valid",
    "adapter.stdout-clean",
    "lifecycle.bystander-safe",
    "lifecycle.create-usable",
    "lifecycle.id-unique",
    "lifecycle.create-visible",
    "lifecycle.unknown-id-definite",
    "lifecycle.destroy-ends",
    "lifecycle.destroy-stops-processes",
    "lifecycle.destroy-idempotent",
    "lifecycle.no-phantom",
    "residue.ended-natively",
  ],
  async run(lab) {
    const sandboxes = await Promise.all(Array.from({ length: AT_ONCE }, () => lab.sandbox()));
    await untilListed(
      lab,
      sandboxes.map((sandbox) => sandbox.id),
    );
    for (const sandbox of sandboxes) await sandbox.observe();

    for (const sandbox of sandboxes) {
      const token = await lab.plantToken(sandbox);
      await sandbox.destroy();
      await lab.watchTheEnd(sandbox, token);
    }
    const [ended] = sandboxes;
    if (ended === undefined) return;
    for (let n = 0; n < AGAIN; n += 1) await ended.destroy({ probe: "lifecycle.destroy-idempotent/again" });

    await ended.observe({ probe: "lifecycle.unknown-id-definite/ended" });
    await ended.exec(["true"], {}, { probe: "lifecycle.unknown-id-definite/ended-exec" });
    const nobody = replaceInKind(ended.id);
    if (nobody === undefined) return;
    await lab.stranger(nobody).observe({ probe: "lifecycle.unknown-id-definite/nobody" });
    await lab.stranger(nobody).execTrue({ probe: "lifecycle.unknown-id-definite/nobody-exec" });
  },
};
