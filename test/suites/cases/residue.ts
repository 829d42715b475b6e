import type { HostPlane } from "../../../schemas/documents.ts";
import { type History, history, wholeLife } from "../history.ts";
import type { Cases } from "./case.ts";

const during = { processes: ["shell"], cgroups: ["group"], mounts: ["root"], "local-state": ["file"] } as const;

/** A whole run: framed while it lived and after it. */
const run = (left: Partial<Record<HostPlane, readonly string[]>> = {}, dark: readonly HostPlane[] = []): History =>
  wholeLife().frame("before").frame("during", during).teardown().frame("after", left, dark);
const unseen = () => wholeLife().frame("before").frame("during").teardown().frame("after");
const REMOTE = { target: { endpointClass: "remote" } };

/** Two failures, each framed. */
const framed = (after: Partial<Record<HostPlane, readonly string[]>> = {}, dark: readonly HostPlane[] = []) =>
  history()
    .frame("cancelled-before", { processes: ["old"] })
    .frame("cancelled-after", { processes: ["old"] })
    .frame("killed-before", { processes: ["old"] })
    .frame("killed-after", after, dark);

const native = (...live: readonly boolean[]): History =>
  live.reduce((h, lives) => h.wait(600).native("s1", lives), history().create("s1").destroy("s1"));

export const residueCases = {
  "residue.inventory": {
    good: { "seen, and gone": run(), "others' items are none of ours": run({ mounts: ["elsewhere"] }) },
    bad: {
      "a process left": run({ processes: ["shell"] }),
      "a cgroup left beside a plane that could not be read": run({ cgroups: ["group"] }, ["processes"]),
      "sandboxes that could not be removed": [wholeLife().teardown(2), REMOTE],
      "an earlier tidying up gave up": wholeLife().teardown(1).teardown(0),
    },
    unknown: {
      "no-witness": {
        elsewhere: [run(), REMOTE],
        "not looked at": wholeLife().teardown(),
        "not readable": run({}, ["cgroups"]),
      },
      "control-failed": { "nothing was seen while it lived": unseen() },
      "too-few": { "never tidied up": wholeLife().frame("during", during).frame("after") },
    },
  },
  "residue.ended-natively": {
    good: { "ended at once": native(false), "ended within endedMs": native(true, false) },
    bad: { "still there": native(true, true), "there again": native(false, true) },
    unknown: {
      "no-witness": {
        "nobody looked": wholeLife(),
        "a kernel of its own": [native(true, true), { boundary: "own-kernel" }],
      },
      indeterminate: { "not watched until endedMs was over": native(true) },
    },
  },
  "residue.companions": {
    good: { gone: run(), "none were seen": unseen() },
    bad: { "a mount left": run({ mounts: ["volume"] }), "a network device left": run({ "network-devices": ["veth"] }) },
    unknown: {
      "no-witness": { elsewhere: [run(), REMOTE] },
      "too-few": { "never tidied up": wholeLife().frame("after") },
    },
  },
  "residue.local-state": {
    good: { gone: run(), "elsewhere too": [run(), REMOTE] },
    bad: {
      "a file left": run({ "local-state": ["file"] }),
      "a temporary folder left": [run({ "temp-entries": ["tmp"] }), REMOTE],
    },
    unknown: { "no-witness": { "not readable": run({}, ["local-state"]), "not looked at": wholeLife().teardown() } },
  },
  "residue.processes": {
    good: { gone: run(), "nothing here of one that is elsewhere": [unseen(), REMOTE] },
    bad: {
      "a process left": run({ processes: ["orphan"] }),
      "a client left here": [run({ processes: ["ssh"] }), REMOTE],
    },
    unknown: { "control-failed": { "nothing was seen while it lived": unseen() } },
  },
  "residue.after-partial-failure": {
    good: { "as before": framed({ processes: ["old"] }), "less than before": framed() },
    bad: {
      "a client left on the runner": [framed({ processes: ["ssh"] }), REMOTE],
      "a process more": framed({ processes: ["old", "new"] }),
      "a file more beside a plane that could not be read": framed({ "local-state": ["state"] }, ["processes"]),
    },
    unknown: {
      "too-few": { "nothing was framed": run(), "no frame afterwards": history().frame("killed-before") },
      "no-witness": { "not readable": framed({}, ["mounts"]), "only the runner was seen": [framed(), REMOTE] },
    },
  },
} satisfies Record<string, Cases>;
