import { judgeCases } from "../cases.ts";
import type { Check } from "../check.ts";
import { lostCreateFound, noDuplicate, noPhantom, restartRecovers } from "./judges/attempts.ts";
import { bystanderSafe } from "./judges/bystander.ts";
import { createUsable, createVisible, idUnique, unknownIdDefinite } from "./judges/create.ts";
import { destroyEnds, destroyIdempotent, destroyStopsProcesses, destroyTruthful } from "./judges/destroy.ts";
import { createFailedClean } from "./judges/failed-create.ts";

export const lifecycleChecks: readonly Check[] = [
  {
    id: "lifecycle.create-usable",
    level: "must",
    evidence: ["guest"],
    requirement: "After an acknowledged create the first exec succeeds within readyMs.",
    why: "An acknowledgement before readiness makes every caller write a retry loop of its own.",
    faults: ["LC-36"],
    judge: createUsable,
  },
  {
    id: "lifecycle.id-unique",
    level: "must",
    evidence: ["port"],
    requirement: "No two creates of the run give, and no list shows, the same id for two sandboxes.",
    why: "With a recycled id one caller's destroy hits another caller's sandbox.",
    faults: ["LC-30"],
    judge: idUnique,
  },
  {
    id: "lifecycle.create-visible",
    level: "must",
    evidence: ["port"],
    requirement: "A created sandbox is in list and observe within listStaleMs, until its destroy.",
    why: "What a list hides nobody can clean up.",
    faults: [],
    judge: createVisible,
  },
  {
    id: "lifecycle.unknown-id-definite",
    level: "must",
    evidence: ["port"],
    requirement:
      "Observe and exec with the id of an ended sandbox, or of none, are absent, terminal, not-found or invalid-argument.",
    why: "An id that opens something else mixes up tenants; a vague answer hides that the sandbox is gone.",
    faults: ["EX-08", "LC-20", "LC-25"],
    judge: unknownIdDefinite,
  },
  {
    id: "lifecycle.destroy-ends",
    level: "must",
    evidence: ["port"],
    requirement: "After an acknowledged destroy the sandbox is seen ended within endedMs, five observations in a row.",
    why: "What is acknowledged and still there is paid for, and may still act.",
    faults: ["LC-07", "LC-10"],
    judge: destroyEnds,
  },
  {
    id: "lifecycle.destroy-stops-processes",
    level: "must",
    evidence: ["host", "collector"],
    requirement: "The processes of a destroyed sandbox are dead, seen from outside.",
    why: "An orphan goes on with the agent's credentials and the owner's money.",
    faults: ["LC-29"],
    judge: destroyStopsProcesses,
  },
  {
    id: "lifecycle.destroy-idempotent",
    level: "must",
    evidence: ["port"],
    requirement: "Ten destroys of one sandbox succeed or are told not-found.",
    why: "Clean-up is retried; an error on the second try looks like residue.",
    faults: [],
    judge: destroyIdempotent,
  },
  {
    id: "lifecycle.destroy-truthful",
    level: "must",
    evidence: ["host", "port", "collector"],
    requirement:
      "No destroy is answered ok while list, observe or the host show the sandbox live after endedMs, also after one that was cut short.",
    why: "A swallowed error in destroy is how residue stays unnoticed.",
    faults: ["LC-07", "LC-29"],
    judge: destroyTruthful,
  },
  {
    id: "lifecycle.no-phantom",
    level: "must",
    evidence: ["port"],
    requirement: "Nothing bears the run's mark that no attempt of the run made.",
    why: "A helper that inherits the owner's label is counted, billed or destroyed as if it were a sandbox.",
    faults: ["LC-03"],
    judge: noPhantom,
  },
  {
    id: "lifecycle.no-duplicate",
    level: "must",
    evidence: ["port"],
    requirement: "One create call makes at most one sandbox, also when its reply is lost.",
    why: "A retry inside an SDK makes a second sandbox that nobody holds.",
    faults: ["LC-01"],
    judge: noDuplicate,
  },
  {
    id: "lifecycle.lost-create-found",
    level: "must",
    evidence: ["port"],
    requirement: "A sandbox whose create lost its reply is found in a list by its mark, and can be destroyed.",
    why: "Connections break; without a mark from the first moment the sandbox is an orphan.",
    faults: ["LC-01", "LC-03"],
    judge: lostCreateFound,
  },
  {
    id: "lifecycle.create-failed-clean",
    level: "must",
    evidence: ["host", "port"],
    requirement:
      "A create that was cancelled, cut off by the adapter's death or refused leaves nothing, once what it left in the list was destroyed.",
    why: "Half-made companions of failed creates pile up where no list shows them.",
    faults: ["LC-02", "LC-03", "LC-04"],
    judge: createFailedClean,
  },
  {
    id: "lifecycle.bystander-safe",
    level: "must",
    evidence: ["guest", "port"],
    requirement: "A sandbox that is not the run's subject is alive and unchanged after all that the run destroyed.",
    why: "A destroy that matches too much takes other people's work with it.",
    faults: ["LC-30"],
    judge: bystanderSafe,
  },
  {
    id: "lifecycle.env-delivered",
    level: "must",
    evidence: ["guest"],
    requirement: "Declared environment variables arrive byte for byte.",
    why: "Keys and certificates hold newlines, quotes and dollars; a changed one fails far from its cause.",
    faults: ["EX-24"],
    judge: (evidence) => judgeCases(evidence, "lifecycle.env-delivered"),
  },
  {
    id: "lifecycle.restart-recovers",
    level: "must",
    evidence: ["port"],
    requirement:
      "A fresh adapter process finds and removes everything that an earlier one made, which was killed at any step.",
    why: "Ownership in memory dies with the client; the sandboxes do not.",
    faults: ["LC-03"],
    judge: restartRecovers,
  },
];
