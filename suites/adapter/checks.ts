import type { Check } from "../check.ts";
import { definiteHonest } from "./judges/definite-honest.ts";
import { noFaultOf } from "./judges/faults.ts";

export const adapterChecks: readonly Check[] = [
  {
    id: "adapter.reply-valid",
    level: "must",
    evidence: ["port"],
    requirement: "Every reply fits its schema, comes once, and nothing of a call comes after it.",
    why: "A harness that guesses what a broken reply meant would judge its own guess, not the provider.",
    faults: [],
    judge: noFaultOf(
      ["reply-malformed", "reply-twice", "reply-unknown-call", "output-after-reply", "output-malformed"],
      "valid replies, one a call",
    ),
  },
  {
    id: "adapter.stdout-clean",
    level: "must",
    evidence: ["port"],
    requirement: "Nothing but messages is on the adapter's stdout.",
    why: "One debug print in the middle of a line loses the reply that it lands in.",
    faults: [],
    judge: noFaultOf(["stdout-not-message", "line-too-long"], "only messages on stdout"),
  },
  {
    id: "adapter.definite-honest",
    level: "must",
    evidence: ["port", "host"],
    requirement:
      "A create that is refused definitely has no effect that is visible once it has settled and lists have caught up.",
    why: "Callers retry what was certainly refused: a refusal after the effect doubles resources.",
    faults: ["LC-01", "LC-02"],
    judge: definiteHonest,
  },
];
