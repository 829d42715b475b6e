import { history, lost, refused } from "../history.ts";
import type { Cases } from "./case.ts";

const PROBE = { probe: "isolation.environment-clean/environ" };
/** The first count is the control's, the others are the canaries'. */
const read = (...found: number[]) =>
  history()
    .create("s1")
    .exec("s1", { ...PROBE, found });

export const isolationCases = {
  "isolation.environment-clean": {
    good: { "the control alone": read(1, 0, 0), "the control three times": read(3, 0) },
    bad: {
      "the adapter's": read(1, 1, 0),
      "the runner's": read(1, 0, 2),
      "a leak without a control is one": read(0, 1),
      "a reading is refused": history()
        .create("s1")
        .exec("s1", { ...PROBE, ends: refused("unsupported") }),
    },
    unknown: {
      "control-failed": {
        "the control is missing": read(0, 0, 0),
        "nothing was looked for": history().exec("s1", PROBE),
      },
      "too-few": { "never read": history().create("s1").exec("s1") },
      "adapter-fault": { "the adapter died": history().exec("s1", { ...PROBE, ends: lost("died") }) },
      indeterminate: { "no answer": history().exec("s1", { ...PROBE, ends: "never" }) },
    },
  },
} satisfies Record<string, Cases>;
