/** What was missing before anything could be tried (judging §2, `blocked`). */
import { type HistoryView, notOk, okValue } from "../history/view.ts";
import type { ErrorCode } from "../schemas/core.ts";

/** Refusals that are about the account, not about the provider. */
const OF_THE_ACCOUNT: ReadonlySet<ErrorCode> = new Set(["unauthenticated", "permission-denied", "quota-exceeded"]);

/** Why nothing could be tried; undefined where something was. */
export function missingPrecondition(history: HistoryView): string | undefined {
  const notReady = history.byMethod("check").some((check) => okValue(check, "check")?.ready === false);
  if (notReady) return "the provider's own check says that it is not ready";
  const creates = history.byMethod("create");
  const [first] = creates;
  if (first === undefined || creates.some((create) => okValue(create, "create") !== undefined)) return undefined;
  const failure = notOk(first);
  return failure?.type === "fail" && failure.error.origin === "reply" && OF_THE_ACCOUNT.has(failure.error.code)
    ? `the first create was refused: ${failure.error.code}`
    : undefined;
}
