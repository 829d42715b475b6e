import { judgeCases } from "../cases.ts";
import type { Check } from "../check.ts";
import { visibleBothWays } from "./judges/visible.ts";

export const filesChecks: readonly Check[] = [
  {
    id: "files.round-trip",
    level: "if-declared",
    needs: "files",
    evidence: ["port"],
    requirement: "Files of 0 bytes to 64 MiB keep every byte, into the guest and out of it.",
    why: "Text decoding, body limits and cut frames all show up as a file that is almost right.",
    faults: ["FS-01", "FS-03", "FS-04", "FS-06"],
    judge: (evidence) => judgeCases(evidence, "files.round-trip", 4),
  },
  {
    id: "files.visible-both-ways",
    level: "if-declared",
    needs: "files",
    evidence: ["port"],
    requirement: "A change on one side is there on the other: same length, shorter, renamed.",
    why: "An agent that edits through one path and reads through the other must not see yesterday.",
    faults: [],
    judge: visibleBothWays,
  },
];
