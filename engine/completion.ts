import type { EventError } from "../schemas/event.ts";
import { METHODS } from "../schemas/messages.ts";
import type { Outcome } from "../wire/channel.ts";

export type Completed =
  | { readonly type: "ok" }
  | { readonly type: "ok"; readonly absent: true }
  | { readonly type: "fail" | "info"; readonly error: EventError };

/** How an outcome is answered for; `dropped` is a reply that the harness threw away as a planted fault. */
export type Ending = Outcome | { readonly kind: "dropped" };

const onlyReads = (method: string): boolean =>
  Object.hasOwn(METHODS, method) && METHODS[method as keyof typeof METHODS].effect === "none";

/** The completion rule (contract §4), the only place where the type of a completion is decided. */
export function complete(method: string, ending: Ending): Completed {
  if (ending.kind === "ok") {
    return hasUnknownExit(ending.result)
      ? { type: "info", error: { code: "internal", definite: false, refused: false, origin: "reply" } }
      : { type: "ok" };
  }
  if (method === "destroy" && ending.kind === "error" && ending.error.code === "not-found") {
    return { type: "ok", absent: true };
  }
  const error = errorOf(ending);
  return { type: error.definite || onlyReads(method) ? "fail" : "info", error };
}

/** An exit that nobody knows is no success of an exec, whatever the reply looks like. */
const hasUnknownExit = (result: object): boolean =>
  "exit" in result &&
  typeof result.exit === "object" &&
  result.exit !== null &&
  "kind" in result.exit &&
  result.exit.kind === "unknown";

function errorOf(ending: Exclude<Ending, { kind: "ok" }>): EventError {
  switch (ending.kind) {
    case "error": {
      const { code, definite, refused } = ending.error;
      return { code, definite, refused, origin: "reply" };
    }
    case "deadline":
      return { code: "deadline-exceeded", definite: false, refused: false, origin: "deadline" };
    case "dropped":
      return { code: "connection-lost", definite: false, refused: false, origin: "dropped" };
    case "died":
      return { code: "connection-lost", definite: false, refused: false, origin: "died" };
    case "malformed":
      return { code: "protocol", definite: false, refused: false, origin: "malformed" };
  }
}
