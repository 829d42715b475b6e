import { okValue } from "../../../history/view.ts";
import type { HostPlane } from "../../../schemas/documents.ts";
import { eventsOf } from "../../cases.ts";
import { type Evidence, fail, type Judge, type Judgement, pass, unknown } from "../../check.ts";
import { frame } from "../../planes.ts";
import { lives, ms, toldAt } from "../../sightings.ts";

/** Providers whose sandboxes are things of this host: its own tables are then an inventory that is not the adapter's word. */
const onThisHost = ({ environment }: Evidence): boolean => environment.target.endpointClass === "this-host";

const destroys = (evidence: Evidence): number[] =>
  evidence.history
    .byMethod("destroy")
    .filter((d) => okValue(d, "destroy") !== undefined)
    .flatMap(eventsOf)
    .slice(-2);

/** Nothing of the run on these planes at the end; with `control`, one of them must have shown something while sandboxes lived. */
function clean(
  evidence: Evidence,
  planes: readonly HostPlane[],
  control: "must-have-been-seen" | "readable",
): Judgement {
  let seen = 0;
  for (const plane of planes) {
    const after = frame(evidence, "after", plane);
    if (after === undefined) return unknown("no-witness", `nobody looked at ${plane}`);
    if (!after.readable) return unknown("no-witness", `${plane} could not be read`);
    if (after.ours.size > 0)
      return fail("host", destroys(evidence), `no ${plane} of the run after it`, `${after.ours.size} left`);
    seen += frame(evidence, "during", plane)?.ours.size ?? 0;
  }
  if (control === "must-have-been-seen" && seen === 0) {
    return unknown("control-failed", `${planes.join(", ")}: nothing of the run was seen while it lived either`);
  }
  return pass("host", seen, `${planes.join(", ")}: ${seen} items of the run while it lived, none after`);
}

/** Identities before and after, by the host where the provider is on it. */
export const inventory: Judge = (evidence) => {
  const teardown = evidence.history.notes("teardown").at(-1);
  if (teardown !== undefined && teardown.value.left > 0) {
    return fail(
      "port",
      [teardown.event.i],
      "everything of the run destroyed",
      `${teardown.value.left} sandboxes could not be removed`,
    );
  }
  return onThisHost(evidence)
    ? clean(evidence, ["processes", "cgroups"], "must-have-been-seen")
    : unknown("no-witness", "no inventory of this provider but the adapter's own word");
};

/** Each destroyed sandbox is read back as ended by a path that is not the adapter. */
export const endedNatively: Judge = (evidence) => {
  let readBack = 0;
  let missed = 0;
  for (const { target, destroyed } of lives(evidence)) {
    if (destroyed === undefined) continue;
    const seen = evidence.witness("native").filter((r) => r.value.target === target && r.t >= toldAt(destroyed));
    const last = seen.at(-1);
    if (last === undefined) missed += 1;
    else if (last.value.live && last.t <= toldAt(destroyed) + ms(evidence.waits.endedMs)) missed += 1;
    else if (last.value.live)
      return fail(
        "host",
        eventsOf(destroyed),
        "ended by the host's own tables",
        `${last.value.items} items still live`,
      );
    else readBack += 1;
  }
  if (readBack === 0) return unknown("no-witness", "no native path shows whether the sandboxes ended");
  return pass("host", readBack, `${readBack} ends read back from the host, ${missed} sandboxes bore no token`);
};

export const companions: Judge = (evidence) =>
  onThisHost(evidence)
    ? clean(evidence, ["mounts", "network-devices", "temp-entries"], "readable")
    : unknown("no-witness", "no independent inventory of volumes, networks, images and keys");

export const localState: Judge = (evidence) => clean(evidence, ["local-state", "temp-entries"], "readable");

export const processes: Judge = (evidence) =>
  clean(
    evidence,
    ["processes", "mounts", "network-devices", "cgroups"],
    onThisHost(evidence) ? "must-have-been-seen" : "readable",
  );

/** The frames round each provoked failure and round each kill of the adapter. */
export const afterPartialFailure: Judge = (evidence) => {
  const moments = new Set(evidence.witness("plane").map((r) => r.value.moment));
  const provoked = [...moments].filter(
    (moment) => moment.endsWith("-before") && moments.has(moment.replace(/-before$/, "-after")),
  );
  if (provoked.length === 0) return unknown("too-few", "no provoked failure was framed");
  for (const before of provoked) {
    const name = before.replace(/-before$/, "");
    for (const plane of ["processes", "mounts", "network-devices", "cgroups", "temp-entries", "local-state"] as const) {
      const [earlier, later] = [frame(evidence, before, plane), frame(evidence, `${name}-after`, plane)];
      if (earlier?.readable !== true || later?.readable !== true)
        return unknown("no-witness", `${name}: ${plane} could not be read`);
      const left = [...later.ours].filter((item) => !earlier.ours.has(item));
      if (left.length > 0)
        return fail("host", failedCreates(evidence), `${name}: nothing left`, `${left.length} new ${plane}`);
    }
  }
  return pass("host", provoked.length, `${provoked.length} provoked failures: every plane as before`);
};

const failedCreates = (evidence: Evidence): number[] =>
  evidence.history.byProbe("lifecycle.create-failed-clean").flatMap(eventsOf);
