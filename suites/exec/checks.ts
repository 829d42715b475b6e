import { judgeCases } from "../cases.ts";
import type { Check } from "../check.ts";
import { noForgedExit } from "./judges/forged-exit.ts";
import { atMostOnce, exactlyOnce } from "./judges/run-counts.ts";
import { timeoutPrompt } from "./judges/timeout.ts";

export const execChecks: readonly Check[] = [
  {
    id: "exec.exit-code",
    level: "must",
    evidence: ["port"],
    requirement: "Exit codes 0, 1, 2, 7, 42, 126, 127, 128 and 255 come back unchanged.",
    why: "An agent that is told 0 goes on from a step that failed.",
    faults: ["EX-01", "EX-07"],
    judge: (evidence) => judgeCases(evidence, "exec.exit-code", 9),
  },
  {
    id: "exec.no-forged-exit",
    level: "must",
    evidence: ["port"],
    requirement:
      "A command whose sandbox was destroyed under it is told as unknown, signaled (in the declared form) or an error, never with an exit code.",
    why: "An invented success is worse than no answer.",
    faults: ["EX-02"],
    judge: noForgedExit,
  },
  {
    id: "exec.streams-separate",
    level: "must",
    evidence: ["port"],
    requirement: "Stdout and stderr come apart, and neither is lost.",
    why: "Merged streams corrupt what programs parse; a dropped stderr hides why they failed.",
    faults: ["EX-38"],
    judge: (evidence) => judgeCases(evidence, "exec.streams-separate", 3),
  },
  {
    id: "exec.argv-exact",
    level: "must",
    evidence: ["port"],
    requirement: "Arguments arrive exactly: spaces, quotes, dollar, backtick, newline, tab, unicode, empty.",
    why: "Arguments joined by spaces are a different command, and a way in for injection.",
    faults: [],
    judge: (evidence) => judgeCases(evidence, "exec.argv-exact"),
  },
  {
    id: "exec.timeout-prompt",
    level: "must",
    evidence: ["port"],
    requirement: "At its timeout a call ends within execGraceMs, says timed-out, and keeps what was printed.",
    why: "An agent that waits for a stuck command is stuck itself; what was printed says why.",
    faults: ["EX-12", "EX-14"],
    judge: timeoutPrompt,
  },
  {
    id: "exec.at-most-once",
    level: "must",
    evidence: ["guest"],
    requirement: "No command runs twice, whatever failed on the way.",
    why: "Commands have effects: a payment, a push, a migration must not be repeated behind the caller's back.",
    faults: ["CL-01"],
    judge: atMostOnce,
  },
  {
    id: "exec.exactly-once",
    level: "must",
    evidence: ["guest"],
    requirement: "An acknowledged command ran.",
    why: "An acknowledgement without the run is data loss with a receipt.",
    faults: [],
    judge: exactlyOnce,
  },
];
