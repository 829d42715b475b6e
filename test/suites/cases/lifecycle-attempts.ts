import { failed, type History, history, lost, refused, wholeLife } from "../history.ts";
import type { Cases } from "./case.ts";

const dropped = () =>
  history()
    .create("s1", { ends: lost("dropped") })
    .killed()
    .wait(300);
const found = () => dropped().list(["s1"]);

/** Creates struck by a cancel and by a killed adapter, each looked for afterwards. */
const struck = (left: (h: History) => History = (h) => h.wait(800).list([])): History => {
  const h = history().in("lifecycle.failed-create");
  left(
    h.create("s1", { probe: "lifecycle.create-failed-clean/cancelled", ends: failed("cancelled") }).struck("cancelled"),
  );
  return left(
    h
      .create("s2", { probe: "lifecycle.create-failed-clean/adapter-killed", ends: lost("died") })
      .struck("adapter-killed"),
  );
};

const REMOVE = { probe: "lifecycle.restart-recovers/destroy" };
const restarted = (listed: readonly string[]) => history().create("s1").wait(600).killed().list(listed);

export const attemptCases = {
  "lifecycle.no-phantom": {
    good: {
      "only ours": wholeLife(),
      "somebody else's item": history().list(["s1", { marked: false }]),
      "ours by name beside the bystander": history().list(["by", "s1"]),
    },
    bad: {
      "a helper with our mark": history().list(["s1", { bearsRun: true, marked: false }]),
      "also in a list that is not complete": history().list([{ bearsRun: true, marked: false }], { complete: false }),
    },
    unknown: {
      "too-few": { "no list": history().create("s1"), "no complete list": history().list(["s1"], { complete: false }) },
      "control-failed": { "marks are never shown": history().list([{ target: "s1", marked: false }, "by"]) },
    },
  },
  "lifecycle.no-duplicate": {
    good: { "one, found": found(), "one acknowledged beside it": found().create("s2").list(["s1", "s2"]) },
    bad: {
      "two of a lost create": dropped().list(["s1", { target: "s1", id: "twin" }]),
      "two of an acknowledged create": history()
        .create("s1")
        .list([{ target: "s1", id: "twin" }]),
      "in two lists": dropped()
        .list(["s1"])
        .list([{ target: "s1", id: "twin" }]),
    },
    unknown: {
      "too-few": { "no reply was lost": wholeLife() },
      "control-failed": { "what was lost was never found": dropped().list([]) },
    },
  },
  "lifecycle.lost-create-found": {
    good: {
      "found, destroyed, ended": found().destroy("s1").observe("s1", "absent"),
      "found when the list had caught up": dropped()
        .list([])
        .wait(300)
        .list(["s1"])
        .destroy("s1", { absent: true })
        .list([]),
    },
    bad: {
      "in no list": dropped().wait(500).list([]),
      "listed, but known by an id alone": dropped()
        .list([{ target: "s1", marked: false }])
        .destroy("s1")
        .list([]),
      "its destroy is refused": found().destroy("s1", { ends: refused("conflict") }),
      "lives after its destroy": found().destroy("s1").wait(1_100).observe("s1", "running"),
    },
    unknown: {
      "too-few": {
        "no reply was lost": wholeLife(),
        "not listed late enough": dropped().list([]),
        "only an incomplete list": dropped().wait(500).list([], { complete: false }),
        "found, and the run ended": found(),
        "nobody looked after the destroy": found().destroy("s1"),
      },
      indeterminate: { "its destroy got no answer": found().destroy("s1", { ends: lost("deadline") }) },
      "adapter-fault": { "the adapter died in its destroy": found().destroy("s1", { ends: lost("died") }) },
    },
  },
  "lifecycle.create-failed-clean": {
    good: {
      "nothing left": struck(),
      "what was left was listed, and removed": struck((h) => h.wait(800).list(["s1"]).destroy("s1").wait(100).list([])),
      "the host shows nothing new": struck((h) => h.wait(800).list([]))
        .frame("cancelled-before", { mounts: ["old"] })
        .frame("cancelled-after", { mounts: ["old"] }),
      "one that ended too early was tried again": struck()
        .create("s3", { probe: "lifecycle.create-failed-clean/cancelled" })
        .destroy("s3")
        .wait(1_600)
        .list([]),
    },
    bad: {
      "listed after its destroy": struck((h) => h.list(["s1"]).destroy("s1").wait(1_600).list(["s1"])),
      "a mount stays on the host": struck()
        .frame("cancelled-before")
        .frame("cancelled-after", { mounts: ["volume"] }),
      "it shows up when all has settled": struck((h) => h.list([]).wait(800).list(["s2"])),
      "a fault outweighs what could not be looked at": history()
        .create("s1", { probe: "lifecycle.create-failed-clean/cancelled", ends: "never" })
        .frame("cancelled-before")
        .frame("cancelled-after", { processes: ["orphan"] }),
    },
    unknown: {
      "too-few": {
        "nothing was provoked": wholeLife(),
        "no complete list": struck((h) => h),
        "every create ended before its fault": history()
          .create("s1", { probe: "lifecycle.create-failed-clean/adapter-killed" })
          .destroy("s1")
          .wait(1_600)
          .list([]),
      },
      indeterminate: {
        "still listed within the declared waits": struck((h) => h.list(["s1"]).destroy("s1").list(["s1"])),
      },
      "adapter-fault": {
        "the adapter died by itself": history()
          .create("s1", { probe: "lifecycle.create-failed-clean/no-such-command", ends: lost("died") })
          .wait(800)
          .list([]),
      },
    },
  },
  "lifecycle.restart-recovers": {
    good: {
      "listed and removed": restarted(["s1"]).destroy("s1", REMOVE).observe("s1", "absent"),
      "a young one may lag": history()
        .create("s1")
        .killed()
        .list([])
        .wait(600)
        .list(["s1"])
        .destroy("s1", { ...REMOVE, absent: true })
        .list([]),
    },
    bad: {
      forgotten: restarted([]).destroy("s1", REMOVE).observe("s1", "absent"),
      "the bystander forgotten": history().create("by").create("s1").wait(600).killed().list(["s1"]),
      "not removed": restarted(["s1"]).destroy("s1", { ...REMOVE, ends: refused("permission-denied") }),
      "removed in words only": restarted(["s1"]).destroy("s1", REMOVE).wait(1_100).observe("s1", "running"),
    },
    unknown: {
      "too-few": {
        "never killed": wholeLife(),
        "no list afterwards": history().create("s1").killed(),
        "not removed yet": restarted(["s1"]),
      },
      "adapter-fault": { "the fresh one died": restarted(["s1"]).destroy("s1", { ...REMOVE, ends: lost("died") }) },
      indeterminate: { "no answer": restarted(["s1"]).destroy("s1", { ...REMOVE, ends: lost("deadline") }) },
    },
  },
} satisfies Record<string, Cases>;
