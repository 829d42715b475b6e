/** What must not happen, and whether it was seen not to: the part that a maintainer looks for first. */
import type { CheckResult, Results } from "../schemas/documents.ts";
import { statusWords } from "./words.ts";

const CLAIMS: readonly (readonly [id: string, claim: string])[] = [
  [
    "lifecycle.bystander-safe",
    "bystander unchanged: a sandbox beside the run is alive, labels and marker as before, after every destroy",
  ],
  ["lifecycle.unknown-id-definite", "unknown ids refused: an id of no sandbox, or of an ended one, opens nothing"],
  ["lifecycle.no-phantom", "nothing bears the run's mark that the run did not make"],
  ["lifecycle.no-duplicate", "one create makes at most one sandbox, also when its reply is lost"],
  ["lifecycle.create-failed-clean", "a create that was made to fail leaves nothing"],
  ["exec.no-forged-exit", "no exit code is made up for a command whose stream broke off"],
  ["isolation.environment-clean", "no variable of the runner or the adapter is inside"],
];

export interface Negative {
  readonly id: string;
  readonly claim: string;
  readonly answer: string;
  /** Who saw it and how often; empty where nobody did. */
  readonly seen: string;
}

export const negatives = ({ checks }: Results): readonly Negative[] =>
  CLAIMS.map(([id, claim]) => {
    const check = checks.find((candidate) => candidate.id === id);
    return { id, claim, answer: answerOf(check), seen: check === undefined ? "" : seenOf(check) };
  });

function answerOf(check: CheckResult | undefined): string {
  if (check === undefined) return "not looked at";
  if (check.status === "pass") return "yes";
  return check.status === "fail" ? "NO" : statusWords(check);
}

const seenOf = ({ source, count }: CheckResult): string =>
  [source, count === undefined ? undefined : `${count}×`].filter((part) => part !== undefined).join(", ");
