import { expect, test } from "vitest";
import { definiteByDefault, ProviderError } from "../../contract/errors.ts";
import { ERROR_CODES } from "../../schemas/core.ts";

/** As a copy of the package that an adapter brought along would throw it. */
class ForeignError extends Error {
  override readonly name = "ProviderError";
  readonly code: string;
  readonly definite: boolean;
  readonly retryable = false;
  readonly vendorMessage = "told by the vendor";
  constructor(code: string, definite: boolean) {
    super(code);
    this.code = code;
    this.definite = definite;
  }
}

test("the codes that say by default that nothing happened are those of contract §3", () => {
  expect(ERROR_CODES.filter(definiteByDefault)).toEqual([
    "invalid-argument",
    "unsupported",
    "unauthenticated",
    "permission-denied",
    "quota-exceeded",
    "rate-limited",
    "not-found",
    "already-exists",
    "conflict",
    "unreachable",
  ]);
});

test("an error of our own class is kept as it is", () => {
  const own = new ProviderError("conflict", "busy", { definite: false });
  expect(ProviderError.from(own)).toBe(own);
  expect(own.definite).toBe(false);
});

test("one of a foreign copy keeps its code and its word on definiteness", () => {
  const foreign = new ForeignError("quota-exceeded", false);
  const error = ProviderError.from(foreign);
  expect(error).toBeInstanceOf(ProviderError);
  expect(error).toMatchObject({
    code: "quota-exceeded",
    definite: false,
    vendorMessage: "told by the vendor",
    cause: foreign,
  });
});

test.each<[string, unknown, string]>([
  ["an error of nobody's", new Error("boom"), "boom"],
  ["a foreign copy with a code that does not exist", new ForeignError("no-such-code", true), "no-such-code"],
  ["a string", "text", "text"],
  ["nothing", undefined, "undefined"],
  [
    "an object that only looks like one",
    { name: "ProviderError", code: "conflict", definite: true },
    "[object Object]",
  ],
])("%s is internal and indefinite", (_what, thrown, message) => {
  expect(ProviderError.from(thrown)).toMatchObject({
    code: "internal",
    definite: false,
    vendorMessage: message,
    cause: thrown,
  });
});
