/** What a line from the adapter is, before anybody asks which call it belongs to. */
import { definiteByDefault } from "../contract/errors.ts";
import { METHODS } from "../schemas/messages.ts";
import { check } from "../schemas/validate.ts";
import { AdapterNotice, Reply, WireErrorData } from "../schemas/wire.ts";
import type { Outcome, ReplyError } from "./channel.ts";
import { decodeData, MAX_DATA_BYTES, parseLine } from "./framing.ts";

export type Incoming =
  | { readonly kind: "reply"; readonly call: number | undefined; readonly reply: Reply }
  | { readonly kind: "bad-reply"; readonly call: number | undefined; readonly problem: string }
  | {
      readonly kind: "output";
      readonly call: number;
      readonly stream: "stdout" | "stderr" | "data";
      readonly data: Uint8Array;
    }
  | { readonly kind: "execution"; readonly call: number; readonly execution: string }
  | { readonly kind: "bad-output"; readonly call: number | undefined }
  | { readonly kind: "secret"; readonly value: Uint8Array }
  | { readonly kind: "not-message" };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const asCall = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 1 ? value : undefined;

export function readLine(line: Uint8Array): Incoming {
  const message = parseLine(line)?.value;
  if (!isRecord(message)) return { kind: "not-message" };
  if (Object.hasOwn(message, "method")) return readNotice(message);
  if (Object.hasOwn(message, "result") || Object.hasOwn(message, "error")) return readReply(message);
  return { kind: "not-message" };
}

function readReply(message: Record<string, unknown>): Incoming {
  const call = asCall(message["id"]);
  if (Object.hasOwn(message, "result") && Object.hasOwn(message, "error"))
    return { kind: "bad-reply", call, problem: "both result and error" };
  const reply = check(Reply, message);
  if (!reply.ok) return { kind: "bad-reply", call, problem: reply.problem };
  return { kind: "reply", call, reply: reply.value };
}

function readNotice(message: Record<string, unknown>): Incoming {
  const notice = check(AdapterNotice, message);
  if (!notice.ok || Object.hasOwn(message, "id")) {
    const about = message["method"] === "output" || message["method"] === "execution";
    const params = isRecord(message["params"]) ? message["params"] : {};
    return about ? { kind: "bad-output", call: asCall(params["call"]) } : { kind: "not-message" };
  }
  const { method, params } = notice.value;
  switch (method) {
    case "output": {
      const data = decodeData(params.data);
      if (data === undefined || data.length > MAX_DATA_BYTES) return { kind: "bad-output", call: params.call };
      return { kind: "output", call: params.call, stream: params.stream, data };
    }
    case "execution":
      return { kind: "execution", ...params };
    case "secret": {
      const value = decodeData(params.value);
      return value === undefined ? { kind: "not-message" } : { kind: "secret", value };
    }
  }
}

/** JSON-RPC's own codes, the only ones that mean something without `data.code`. */
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

/** Undefined where the adapter gave no code of the list. */
export function typedError(error: { code: number; message: string; data?: unknown }): ReplyError | undefined {
  const { message } = error;
  if (error.code === METHOD_NOT_FOUND)
    return { code: "unsupported", definite: true, retryable: false, message, refused: true };
  const data = check(WireErrorData, error.data);
  if (data.ok) {
    const { code, definite = definiteByDefault(code), retryable = false } = data.value;
    return { code, definite, retryable, message, refused: code === "unsupported" };
  }
  if (error.code === INVALID_PARAMS)
    return { code: "invalid-argument", definite: true, retryable: false, message, refused: false };
  return undefined;
}

/** An error without a code tells nothing about its effect. */
export const untypedError = (message: string): ReplyError => ({
  code: "internal",
  definite: false,
  retryable: false,
  message,
  refused: false,
});

/** A result against the schema of its method; of a method that is not in the table, any result is accepted. */
export function readResult(method: string, result: unknown): Outcome {
  if (!Object.hasOwn(METHODS, method)) return { kind: "ok", result: result as never };
  const checked = check(METHODS[method as keyof typeof METHODS].result, result);
  return checked.ok ? { kind: "ok", result: checked.value } : { kind: "malformed", problem: checked.problem };
}
