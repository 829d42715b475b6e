import { okValue } from "../../../history/view.ts";
import type { HostPlane } from "../../../schemas/documents.ts";
import { eventsOf } from "../../cases.ts";
import { all, type Evidence, fail, type Judge, type Judgement, pass, unknown } from "../../check.ts";
import { frame, HOST_PLANES, onThisHost } from "../../planes.ts";
import { lives, ms, toldAt } from "../../sightings.ts";

const destroys = (evidence: Evidence): number[] =>
  evidence.history
    .byMethod("destroy")
    .filter((d) => okValue(d, "destroy") !== undefined)
    .slice(-1)
    .flatMap(eventsOf);

/** Nothing of the run on these planes at the end; with `control`, one of them must have shown something while sandboxes lived. */
function clean(
  evidence: Evidence,
  planes: readonly HostPlane[],
  control: "must-have-been-seen" | "readable",
): Judgement {
  const tidied = evidence.history.notes("teardown").length > 0;
  const [first, ...rest] = planes.map((plane): Judgement => {
    const after = frame(evidence, "after", plane);
    if (after === undefined) return unknown("no-witness", `nobody looked at ${plane}`);
    if (!after.readable) return unknown("no-witness", `${plane} could not be read`);
    return after.ours.size > 0
      ? fail("host", destroys(evidence), `no ${plane} of the run after it`, `${after.ours.size} left`)
      : pass("host", frame(evidence, "during", plane)?.ours.size ?? 0, "");
  });
  const verdict = first === undefined ? unknown("no-witness", "no plane to look at") : all(first, ...rest);
  if (verdict.status !== "pass") return verdict;
  if (!tidied) return unknown("too-few", "the run did not come to its tidying up");
  return control === "must-have-been-seen" && verdict.count === 0
    ? unknown("control-failed", `${planes.join(", ")}: nothing of the run was seen while it lived either`)
    : pass("host", verdict.count, `${planes.join(", ")}: ${verdict.count} items of the run while it lived, none after`);
}

/** Identities before and after, by the host where the provider is on it. */
export const inventory: Judge = (evidence) => {
  const left = evidence.history.notes("teardown").findLast(({ value }) => value.left > 0);
  if (left !== undefined) {
    return fail(
      "port",
      [left.event.i],
      "everything of the run destroyed",
      `${left.value.left} sandboxes could not be removed`,
    );
  }
  return onThisHost(evidence)
    ? clean(evidence, ["processes", "cgroups"], "must-have-been-seen")
    : unknown("no-witness", "no inventory of this provider but the adapter's own word");
};

/** Each destroyed sandbox is read back as ended by a path that is not the adapter. */
export const endedNatively: Judge = (evidence) => {
  const lastOf = new Map(evidence.witness("native").map((record) => [record.value.target, record]));
  let readBack = 0;
  let missed = 0;
  let undecided = 0;
  for (const { target, destroyed } of lives(evidence)) {
    if (destroyed === undefined) continue;
    const last = lastOf.get(target);
    if (last === undefined || last.t < toldAt(destroyed)) missed += 1;
    else if (!last.value.live) readBack += 1;
    else if (last.t <= toldAt(destroyed) + ms(evidence.waits.endedMs)) undecided += 1;
    else
      return fail(
        "host",
        eventsOf(destroyed),
        "ended by the host's own tables",
        `${last.value.items} items still live`,
      );
  }
  if (undecided > 0) return unknown("indeterminate", `${undecided} sandboxes were not watched until endedMs was over`);
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
  const provoked = [...moments]
    .filter((moment) => moment.endsWith("-before"))
    .map((moment) => moment.slice(0, -"-before".length))
    .filter((name) => moments.has(`${name}-after`));
  const [first, ...rest] = provoked.flatMap((name) =>
    HOST_PLANES.map((plane): Judgement => {
      const [earlier, later] = [frame(evidence, `${name}-before`, plane), frame(evidence, `${name}-after`, plane)];
      if (earlier?.readable !== true || later?.readable !== true)
        return unknown("no-witness", `${name}: ${plane} could not be read`);
      const left = [...later.ours].filter((item) => !earlier.ours.has(item));
      return left.length > 0
        ? fail("host", failedCreates(evidence), `${name}: nothing left`, `${left.length} new ${plane}`)
        : pass("host", 1, "");
    }),
  );
  if (first === undefined) return unknown("too-few", "no provoked failure was framed");
  const verdict = all(first, ...rest);
  if (verdict.status !== "pass") return verdict;
  return onThisHost(evidence)
    ? pass("host", provoked.length, `${provoked.length} provoked failures: every plane as before`)
    : unknown("no-witness", "the runner is as before; no inventory of this provider but the adapter's own word");
};

const failedCreates = (evidence: Evidence): number[] =>
  evidence.history.byProbe("lifecycle.create-failed-clean").flatMap(eventsOf);
