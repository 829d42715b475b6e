import { expect, test } from "vitest";
import { readLine, readResult, typedError } from "../../wire/replies.ts";

const error = (code: number, data?: unknown) => typedError({ code, message: "no", data });

test("codes of errors: JSON-RPC's own two mean something, others only with a code of the list", () => {
  expect(error(-32601)).toMatchObject({ code: "unsupported", definite: true, refused: true });
  expect(error(-32602)).toMatchObject({ code: "invalid-argument", definite: true, refused: false });
  expect(error(-32602, { code: "conflict" })).toMatchObject({ code: "conflict", definite: true });
  expect(error(-32000, { code: "unsupported" })).toMatchObject({ code: "unsupported", refused: true });
  for (const data of [undefined, null, "not-found", {}, { code: "full" }, { code: "conflict", definite: "yes" }]) {
    expect(error(-32000, data)).toBeUndefined();
  }
});

test("definite is what the adapter says, else what the code means", () => {
  expect(error(1, { code: "not-found" })?.definite).toBe(true);
  expect(error(1, { code: "not-found", definite: false })?.definite).toBe(false);
  expect(error(1, { code: "unavailable" })?.definite).toBe(false);
  expect(error(1, { code: "unavailable", definite: true, retryable: true })).toMatchObject({
    definite: true,
    retryable: true,
  });
});

test("a result is held against its method; of an invented method any result is one", () => {
  expect(readResult("create", { id: "x", more: 1 })).toEqual({ kind: "ok", result: { id: "x", more: 1 } });
  expect(readResult("create", { id: 7 })).toMatchObject({ kind: "malformed" });
  expect(readResult("frobnicate", 7)).toEqual({ kind: "ok", result: 7 });
  expect(readResult("toString", null)).toEqual({ kind: "ok", result: null });
});

test.each([
  ["not-message", "17"],
  ["not-message", "[]"],
  ["not-message", '{"jsonrpc":"2.0","id":1}'],
  ["not-message", '{"jsonrpc":"2.0","id":1,"method":"create","params":{}}'],
  ["not-message", '{"jsonrpc":"2.0","method":"secret","params":{"value":"%"}}'],
  ["bad-reply", '{"id":1,"result":{}}'],
  ["bad-reply", '{"jsonrpc":"2.0","id":"1","result":{}}'],
  ["bad-reply", '{"jsonrpc":"2.0","id":1,"error":"full"}'],
  ["bad-output", '{"jsonrpc":"2.0","method":"output","params":null}'],
  ["bad-output", '{"jsonrpc":"2.0","id":9,"method":"output","params":{"call":1,"stream":"data","data":""}}'],
  ["bad-output", '{"jsonrpc":"2.0","method":"execution","params":{"call":1}}'],
  ["execution", '{"jsonrpc":"2.0","method":"execution","params":{"call":1,"execution":"e"}}'],
  ["output", '{"jsonrpc":"2.0","method":"output","params":{"call":1,"stream":"data","data":""}}'],
  ["reply", '{"jsonrpc":"2.0","id":1,"result":null}\r'],
])("%s: %s", (kind, line) => {
  expect(readLine(Buffer.from(line)).kind).toBe(kind);
});
