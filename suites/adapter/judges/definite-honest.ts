import { invokeValue, notOk, type Operation, okValue } from "../../../history/view.ts";
import { eventsOf } from "../../cases.ts";
import { type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";
import { appeared } from "../../planes.ts";
import { sentAt } from "../../sightings.ts";

/** After every definite refusal of a create, neither lists nor the host show anything of that attempt. */
export function definiteHonest(evidence: Evidence): Judgement {
  const { history } = evidence;
  const refused = history.byMethod("create").filter((operation) => {
    const failure = notOk(operation);
    return failure?.type === "fail" && failure.error.origin === "reply";
  });
  for (const create of refused) {
    const shown = history.byMethod("list").find((list) => shows(list, create));
    if (shown !== undefined) {
      return fail(
        "port",
        [...eventsOf(create), ...eventsOf(shown)],
        "no effect of a create that was definitely refused",
        `its sandbox is listed as ${create.target}`,
      );
    }
  }
  const left = appeared(evidence, "refused-before", "refused-after");
  if (left !== undefined && left.length > 0) {
    return fail(
      "host",
      refused.flatMap(eventsOf),
      "no effect of a create that was definitely refused",
      `${left.length} new items of the run on the host`,
    );
  }
  const followed = refused.filter((create) =>
    history.byMethod("list").some((list) => okValue(list, "list") !== undefined && sentAt(list) > sentAt(create)),
  );
  if (followed.length === 0) return unknown("too-few", "no create was refused definitely and then looked for");
  return pass(
    left === undefined ? "port" : "host",
    followed.length,
    `${followed.length} definite refusals left nothing`,
  );
}

const shows = (list: Operation, create: Operation): boolean => {
  const attempt = invokeValue(create, "create")?.attempt;
  return (
    okValue(list, "list")?.items.some((item) => item.attempt === attempt || item.target === create.target) === true
  );
};
