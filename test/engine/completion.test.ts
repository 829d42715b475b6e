import { describe, expect, test } from "vitest";
import { complete, type Ending } from "../../engine/completion.ts";
import { METHODS } from "../../schemas/messages.ts";
import type { ReplyError } from "../../wire/channel.ts";

const error = (code: ReplyError["code"], definite: boolean, refused = false): Ending => ({
  kind: "error",
  error: { code, definite, refused, retryable: false, message: "" },
});
const ok = (result: object): Ending => ({ kind: "ok", result });

describe("the completion rule (contract §4)", () => {
  test.each<[string, string, Ending, string]>([
    ["typed success", "create", ok({ id: "x" }), "ok"],
    ["a known exit", "exec", ok({ exit: { kind: "exited", code: 1 } }), "ok"],
    ["a timeout that was told", "exec", ok({ exit: { kind: "timed-out" } }), "ok"],
    ["an unknown exit", "exec", ok({ exit: { kind: "unknown", reason: "lost" } }), "info internal reply"],
    ["destroy of what is gone", "destroy", error("not-found", true), "ok absent"],
    ["destroy of what is gone, said indefinitely", "destroy", error("not-found", false), "ok absent"],
    ["create that finds nothing", "create", error("not-found", true), "fail not-found reply"],
    ["a definite error", "create", error("quota-exceeded", true), "fail quota-exceeded reply"],
    ["an indefinite error", "create", error("internal", false), "info internal reply"],
    [
      "a code that is definite by default, said indefinitely",
      "create",
      error("conflict", false),
      "info conflict reply",
    ],
    ["no reply in time", "create", { kind: "deadline" }, "info deadline-exceeded deadline"],
    ["a reply that was thrown away", "create", { kind: "dropped" }, "info connection-lost dropped"],
    ["the adapter's death", "destroy", { kind: "died" }, "info connection-lost died"],
    ["a malformed reply", "exec", { kind: "malformed", problem: "" }, "info protocol malformed"],
    ["a read without answer", "observe", { kind: "deadline" }, "fail deadline-exceeded deadline"],
    ["a read with an indefinite error", "list", error("unavailable", false), "fail unavailable reply"],
    ["an invented method", "x-sandproof-invented", { kind: "died" }, "info connection-lost died"],
    ["an invented method named as a member of objects", "constructor", { kind: "died" }, "info connection-lost died"],
  ])("%s", (_what, method, ending, expected) => {
    const done = complete(method, ending);
    const words =
      done.type === "ok"
        ? ["ok", ...("absent" in done ? ["absent"] : [])]
        : [done.type, done.error.code, done.error.origin];
    expect(words.join(" ")).toBe(expected);
  });

  test("the refusal is kept: it alone proves an absent capability", () => {
    expect(complete("files.stat", error("unsupported", true, true))).toMatchObject({ error: { refused: true } });
    expect(complete("files.stat", error("not-found", true))).toMatchObject({ error: { refused: false } });
  });

  test("what only reads never stays open", () => {
    const reads = Object.entries(METHODS).filter(([, { effect }]) => effect === "none");
    expect(reads.length).toBeGreaterThan(5);
    for (const [method] of reads) expect(complete(method, { kind: "died" }).type, method).toBe("fail");
  });
});
