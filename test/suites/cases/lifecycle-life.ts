import { failed, type History, history, lost, refused, wholeLife } from "../history.ts";
import type { Cases } from "./case.ts";

const FIRST = {
  probe: "lifecycle.create-usable/first-exec",
  expect: { exit: { kind: "exited", code: 0 } as const, stdout: "nonce" },
};
const used = (call: object = {}) =>
  history()
    .create("s1")
    .exec("s1", { ...FIRST, stdout: "nonce", ...call });

const ENDED = "lifecycle.unknown-id-definite/ended";
const NOBODY = "lifecycle.unknown-id-definite/nobody";
const gone = () => history().create("s1").destroy("s1").wait(2_000);

/** A destroyed sandbox with a planted process: seen alive before, then as told. */
const planted = (before: number, ...after: readonly number[]): History =>
  after.reduce((h, alive) => h.wait(600).token("s1", alive), history().create("s1").token("s1", before).destroy("s1"));

const AGAIN = { probe: "lifecycle.destroy-idempotent/again" };
const destroyedTwice = (call: object) =>
  history()
    .create("s1")
    .destroy("s1")
    .destroy("s1", { ...AGAIN, ...call });

/** A destroy that a killed adapter cut short, then one that was acknowledged. */
const cutShort = () =>
  history()
    .create("s1")
    .destroy("s1", { ends: lost("died") })
    .struck("adapter-killed")
    .destroy("s1");

/** The bystander before and after a destroy. */
const looked = (h: History, state: "running" | "absent" = "running", stdout = "marker", labels = "labels") => {
  const marker = { kind: "exited", code: 0 } as const;
  return h
    .observe("by", state, { probe: "lifecycle.bystander-safe/observe", labels })
    .exec("by", { probe: "lifecycle.bystander-safe/marker", stdout, expect: { exit: marker, stdout: "marker" } });
};
const beside = () => looked(history().create("by")).create("s1").destroy("s1");

export const lifeCases = {
  "lifecycle.create-usable": {
    good: {
      "at once": used(),
      "just within readyMs": used({ tookMs: 999 }),
      "the harness was slow in between": history()
        .create("s1")
        .wait(5_000)
        .exec("s1", { ...FIRST, stdout: "nonce" }),
    },
    bad: {
      "refused at first": used({ ends: refused("conflict") }),
      "later than readyMs": used({ tookMs: 1_100 }),
      "another's answer": used({ stdout: "other" }),
      "no answer until long after readyMs": used({ tookMs: 5_000, ends: lost("deadline") }),
    },
    unknown: {
      "too-few": { "never used": history().create("s1") },
      indeterminate: { "an error that tells nothing": used({ ends: failed("unavailable") }) },
      "adapter-fault": { "the adapter died, late": used({ tookMs: 5_000, ends: lost("died") }) },
    },
  },
  "lifecycle.id-unique": {
    good: {
      "two ids": history().create("s1").create("s2"),
      "listed as they were made": history().create("s1").create("s2").list(["s1", "s2"]),
    },
    bad: {
      "the id of an earlier one": history().create("s1").create("s2", { id: "s1" }),
      "a list shows one id for two": history()
        .create("s1")
        .create("s2")
        .list([{ target: "s3", id: "s1" }]),
    },
    unknown: { "too-few": { "one create": history().create("s1") } },
  },
  "lifecycle.create-visible": {
    good: {
      "listed and observed": wholeLife(),
      "the list lags as declared": history().create("s1").list([]).wait(600).list(["s1"]).observe("s1"),
      "gone once its destroy was asked for": history()
        .create("s1")
        .wait(600)
        .list(["s1"])
        .observe("s1")
        .destroy("s1", { ends: lost("deadline") })
        .list([]),
      "an incomplete list without it says nothing": history()
        .create("s1")
        .wait(600)
        .list([], { complete: false })
        .list(["s1"])
        .observe("s1"),
    },
    bad: {
      "not listed after the lag": history().create("s1").wait(600).list([]).observe("s1"),
      "only another sandbox of its create is listed": history()
        .create("s1")
        .wait(600)
        .list([{ target: "s1", id: "twin" }]),
      "listed as ended": history()
        .create("s1")
        .wait(600)
        .list([{ target: "s1", state: "terminal" }]),
      "observed as absent": history().create("s1").wait(600).list(["s1"]).observe("s1", "absent"),
      "observed as not-found": history()
        .create("s1")
        .wait(600)
        .observe("s1", "running", { ends: refused("not-found") }),
    },
    unknown: {
      "too-few": {
        "never listed": history().create("s1").wait(600).observe("s1"),
        "observe was disturbed": history()
          .create("s1")
          .wait(600)
          .list(["s1"])
          .observe("s1", "running", { ends: refused("unreachable") }),
      },
    },
  },
  "lifecycle.unknown-id-definite": {
    good: {
      "absent, and not found": gone()
        .observe("s1", "absent", { probe: ENDED })
        .exec("s1", { probe: `${ENDED}-exec`, ends: refused("not-found") }),
      "kept as a record": gone().observe("s1", "terminal", { probe: ENDED }),
      "nobody's id is no id": history().observe(undefined, "absent", {
        probe: NOBODY,
        ends: refused("invalid-argument"),
      }),
    },
    bad: {
      "an ended one runs": gone().observe("s1", "running", { probe: ENDED }),
      "a command runs in it": gone().exec("s1", { probe: `${ENDED}-exec` }),
      "nobody's id opens something": history().exec(undefined, { probe: `${NOBODY}-exec` }),
      "a vague word": gone().exec("s1", { probe: `${ENDED}-exec`, ends: failed("internal") }),
    },
    unknown: {
      "too-few": { "not asked": gone() },
      "control-failed": {
        "its destroy failed": history()
          .create("s1")
          .destroy("s1", { ends: refused("conflict") })
          .observe("s1", "running", { probe: ENDED }),
      },
      "adapter-fault": { "the adapter died": gone().exec("s1", { probe: `${ENDED}-exec`, ends: lost("died") }) },
      indeterminate: { "no answer": gone().exec("s1", { probe: `${ENDED}-exec`, ends: lost("deadline") }) },
    },
  },
  "lifecycle.destroy-ends": {
    good: {
      "absent five times": wholeLife(),
      "stopping for as long as declared": history()
        .create("s1")
        .destroy("s1")
        .observe("s1", "stopping")
        .wait(900)
        .observed(5, "s1", "absent"),
      "kept as a record": history().create("s1").destroy("s1").observed(5, "s1", "terminal"),
      "another one is not watched": wholeLife().create("s2").destroy("s2"),
    },
    bad: {
      "runs after endedMs": history().create("s1").destroy("s1").wait(1_100).observe("s1", "running"),
      "comes back": history().create("s1").destroy("s1").observe("s1", "absent").observe("s1", "running"),
    },
    unknown: {
      "too-few": { "nobody looked": history().create("s1").destroy("s1") },
      indeterminate: {
        "four times": history().create("s1").destroy("s1").observed(4, "s1", "absent"),
        "one was seen, the other not": wholeLife().create("s2").destroy("s2").observe("s2", "absent"),
      },
    },
  },
  "lifecycle.destroy-stops-processes": {
    good: { "gone at once": planted(1, 0), "gone within endedMs": planted(1, 1, 0) },
    bad: { "still there": planted(1, 1, 1), "back again": planted(1, 0, 1) },
    unknown: {
      "no-witness": { "no tokens": wholeLife(), "a kernel of its own": [planted(1, 1, 1), { boundary: "own-kernel" }] },
      "control-failed": { "never seen alive": planted(0, 0) },
      indeterminate: { "not watched to the end": planted(1, 1) },
    },
  },
  "lifecycle.destroy-idempotent": {
    good: { "ok again": destroyedTwice({}), "not found again": destroyedTwice({ absent: true }) },
    bad: {
      "a conflict": destroyedTwice({ ends: refused("conflict") }),
      "some error": destroyedTwice({ ends: failed("internal") }),
    },
    unknown: {
      "too-few": { "destroyed once": history().create("s1").destroy("s1") },
      "control-failed": {
        "the first did not succeed": history()
          .create("s1")
          .destroy("s1", { ends: failed("internal") })
          .destroy("s1", AGAIN),
      },
      indeterminate: {
        disturbed: destroyedTwice({ ends: failed("unavailable") }),
        "no answer": destroyedTwice({ ends: lost("deadline") }),
      },
      "adapter-fault": { "the adapter died": destroyedTwice({ ends: lost("died") }) },
    },
  },
  "lifecycle.destroy-truthful": {
    good: {
      "cut short, then ended": cutShort().observe("s1", "absent"),
      "a list lags behind the end": cutShort().wait(1_100).list(["s1"]).wait(500).list([]),
      "one of two of a lost create lives on, as its other id": cutShort()
        .observe("s1", "absent")
        .create("s2", { ends: lost("dropped") })
        .list(["s2", { target: "s2", id: "twin" }])
        .destroy("s2")
        .wait(2_000)
        .list([{ target: "s2", id: "twin" }]),
      "its twin lives on": cutShort()
        .wait(2_000)
        .list([{ target: "s1", id: "twin" }]),
    },
    bad: {
      "observed live": cutShort().wait(1_100).observe("s1", "running"),
      "listed live": cutShort().wait(1_600).list(["s1"]),
      "a command runs in it": cutShort().wait(1_100).exec("s1"),
      "its process lives": cutShort().observe("s1", "absent").wait(1_100).token("s1", 1),
      "found after a lost create, and not removed": history()
        .create("s1", { ends: lost("dropped") })
        .list(["s1"])
        .destroy("s1")
        .wait(1_100)
        .observe("s1", "running"),
    },
    unknown: {
      "too-few": {
        "none was cut short": wholeLife(),
        "it was answered before the adapter died": history()
          .create("s1")
          .destroy("s1")
          .struck("adapter-killed")
          .observe("s1", "absent"),
        "what was cut short was not looked at": cutShort().create("s2").destroy("s2").observe("s2", "absent"),
        "nobody looked": history().create("s1").destroy("s1"),
      },
    },
  },
  "lifecycle.bystander-safe": {
    good: { "as before": looked(beside()), "looked at twice": looked(looked(beside())) },
    bad: {
      dead: looked(beside(), "absent"),
      "its marker changed": looked(beside(), "running", "other"),
      "other labels": looked(beside(), "running", "marker", "other"),
      "seen dead between destroys": looked(beside(), "absent").create("s2").destroy("s2"),
      "no longer answers": beside().exec("by", {
        probe: "lifecycle.bystander-safe/marker",
        ends: refused("not-found"),
      }),
    },
    unknown: {
      "too-few": {
        "nothing was destroyed": looked(history().create("by")),
        "not looked at after the last destroy": looked(beside()).create("s2").destroy("s2"),
        "observed only": beside().observe("by", "running", { probe: "lifecycle.bystander-safe/observe" }),
      },
      "control-failed": {
        "its marker was never there": looked(
          looked(history().create("by"), "running", "").create("s1").destroy("s1"),
          "running",
          "",
        ),
      },
      indeterminate: {
        "no answer": beside().exec("by", { probe: "lifecycle.bystander-safe/marker", ends: lost("deadline") }),
        disturbed: beside().observe("by", "running", {
          probe: "lifecycle.bystander-safe/observe",
          ends: refused("unreachable"),
        }),
      },
    },
  },
  "lifecycle.env-delivered": {
    good: { "as declared": environment("a\nb"), twice: environment("a\nb").exec("s1") },
    bad: { "cut at the newline": environment("a"), quoted: environment("'a\nb'") },
    unknown: {
      "too-few": { "not read": history().create("s1") },
      indeterminate: { "no answer": history().exec("s1", { probe: "lifecycle.env-delivered/values", ends: "never" }) },
    },
  },
} satisfies Record<string, Cases>;

function environment(stdout: string): History {
  const expect = { exit: { kind: "exited", code: 0 } as const, stdout: "a\nb" };
  return history().create("s1").exec("s1", { probe: "lifecycle.env-delivered/values", expect, stdout });
}
