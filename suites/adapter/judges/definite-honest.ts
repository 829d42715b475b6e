import { notOk } from "../../../history/view.ts";
import { eventsOf } from "../../cases.ts";
import { type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";
import { appeared, onThisHost } from "../../planes.ts";
import { completeLists, ms, sightings, toldAt } from "../../sightings.ts";

const EXPECTED = "no effect of a create that was definitely refused";

/** Once a definite refusal of a create has settled, neither lists nor the host show anything of that attempt. */
export function definiteHonest(evidence: Evidence): Judgement {
  const { history, waits } = evidence;
  const refused = history.byMethod("create").filter((operation) => {
    const failure = notOk(operation);
    return failure?.type === "fail" && failure.error.origin === "reply";
  });
  const settled = ms(waits.settleMs + waits.listStaleMs);
  for (const create of refused) {
    const shown = sightings(evidence, create.target ?? "").find(
      (s) => s.by === "list" && s.live && s.asked >= toldAt(create) + settled,
    );
    if (shown?.event !== undefined)
      return fail("port", [...eventsOf(create), shown.event], EXPECTED, `its sandbox is listed as ${create.target}`);
  }
  const left = appeared(evidence, "refused-before", "refused-after");
  if (left !== undefined && left.length > 0)
    return fail("host", refused.flatMap(eventsOf), EXPECTED, `${left.length} new items of the run on the host`);
  const lastLook = completeLists(evidence).at(-1)?.asked ?? 0;
  const looked = refused.filter((create) => toldAt(create) + settled <= lastLook);
  if (looked.length === 0) return unknown("too-few", "no create was refused definitely and then looked for");
  const source = left !== undefined && onThisHost(evidence) ? "host" : "port";
  return pass(source, looked.length, `${looked.length} definite refusals left nothing`);
}
