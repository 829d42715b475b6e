/** The lines of the process protocol: JSON-RPC 2.0, one message a line. */
import { type Static, Type } from "typebox";
import { Count, ErrorCode, oneOf } from "./core.ts";

const jsonrpc = Type.Literal("2.0");
const CallId = Type.Integer({ minimum: 1 });
const Base64 = Type.String({ contentEncoding: "base64" });

export const WireErrorData = Type.Object({
  code: ErrorCode,
  definite: Type.Optional(Type.Boolean()),
  retryable: Type.Optional(Type.Boolean()),
});
export const WireError = Type.Object({
  code: Type.Integer(),
  message: Type.String(),
  data: Type.Optional(Type.Unknown()),
});

export const Request = Type.Object({
  jsonrpc,
  id: CallId,
  method: Type.String(),
  params: Type.Record(Type.String(), Type.Unknown()),
});
export type Request = Static<typeof Request>;

/** Harness to adapter, without reply. */
export const HarnessNotice = Type.Union([
  Type.Object({
    jsonrpc,
    method: Type.Literal("input"),
    params: Type.Union([
      Type.Object({ call: CallId, data: Base64 }),
      Type.Object({ call: CallId, end: Type.Literal(true) }),
    ]),
  }),
  Type.Object({
    jsonrpc,
    method: Type.Literal("resize"),
    params: Type.Object({ call: CallId, rows: Count, cols: Count }),
  }),
  Type.Object({ jsonrpc, method: Type.Literal("cancel"), params: Type.Object({ call: CallId }) }),
]);
export type HarnessNotice = Static<typeof HarnessNotice>;

export const Reply = Type.Union([
  Type.Object({ jsonrpc, id: CallId, result: Type.Unknown() }),
  Type.Object({ jsonrpc, id: Type.Union([CallId, Type.Null()]), error: WireError }),
]);
export type Reply = Static<typeof Reply>;

/** Adapter to harness, without reply. */
export const AdapterNotice = Type.Union([
  Type.Object({
    jsonrpc,
    method: Type.Literal("output"),
    params: Type.Object({ call: CallId, stream: oneOf("stdout", "stderr", "data"), data: Base64 }),
  }),
  Type.Object({
    jsonrpc,
    method: Type.Literal("execution"),
    params: Type.Object({ call: CallId, execution: Type.String() }),
  }),
  Type.Object({ jsonrpc, method: Type.Literal("secret"), params: Type.Object({ value: Base64 }) }),
]);
export type AdapterNotice = Static<typeof AdapterNotice>;
