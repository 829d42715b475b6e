import { failed, history, lost, refused } from "../history.ts";
import type { Cases } from "./case.ts";

const asked = () => history().check(true).create("s1");
const faulty = (
  fault: "reply-twice" | "output-after-reply" | "stdout-not-message" | "line-too-long" | "error-untyped",
) => asked().note("adapter-fault", { fault });
const afterRefusal = () =>
  history()
    .create("s1", { ends: refused("invalid-argument") })
    .wait(800);

export const adapterCases = {
  "adapter.reply-valid": {
    good: {
      "two replies": asked(),
      "an error is a reply": history().create("s1", { ends: refused("quota-exceeded") }),
      "noise on stdout is another matter": faulty("stdout-not-message"),
    },
    bad: { "a second reply": faulty("reply-twice"), "output after the reply": faulty("output-after-reply") },
    unknown: { "too-few": { "nothing was ever answered": history().create("s1", { ends: lost("died") }) } },
  },
  "adapter.stdout-clean": {
    good: { "two replies": asked(), "a second reply is another matter": faulty("reply-twice") },
    bad: { "a debug line": faulty("stdout-not-message"), "an endless line": faulty("line-too-long") },
    unknown: { "too-few": { "no calls": history() } },
  },
  "adapter.definite-honest": {
    good: {
      "refused, and in no list": afterRefusal().list([]),
      "rolled back while the list still lagged": history()
        .create("s1", { ends: refused("invalid-argument") })
        .list(["s1"])
        .wait(800)
        .list([]),
      "kept as an ended record": afterRefusal().list([{ target: "s1", state: "terminal" }]),
      "the host shows nothing new either": history()
        .frame("refused-before", { processes: ["old"] })
        .create("s1", { ends: refused("unsupported") })
        .wait(800)
        .list([])
        .frame("refused-after", { processes: ["old"] }),
    },
    bad: {
      "listed once the refusal has settled": afterRefusal().list(["s1"]),
      "shown by a list that is not complete": afterRefusal().list(["s1"], { complete: false }),
      "a new process on the host": afterRefusal()
        .list([])
        .frame("refused-before")
        .frame("refused-after", { processes: ["new"] }),
    },
    unknown: {
      "too-few": {
        "nothing was refused": asked().wait(800).list(["s1"]),
        "an indefinite error claims nothing": history()
          .create("s1", { ends: failed("internal") })
          .wait(800)
          .list(["s1"]),
        "looked for before it settled": history()
          .create("s1", { ends: refused("invalid-argument") })
          .list([]),
        "only an incomplete list": afterRefusal().list([], { complete: false }),
      },
    },
  },
} satisfies Record<string, Cases>;
