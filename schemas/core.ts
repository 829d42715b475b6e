/** Shapes that every message and document is made of. Nothing here knows a method, a check or a file. */
import { type Static, type TSchema, Type } from "typebox";

/** A closed object: members that are not named are refused. */
export const closed = <P extends Record<string, TSchema>>(properties: P, description?: string) =>
  Type.Object(properties, { unevaluatedProperties: false, ...(description === undefined ? {} : { description }) });

export const oneOf = <T extends readonly string[]>(...values: T) =>
  Type.Unsafe<T[number]>({ type: "string", enum: [...values] });

declare const brand: unique symbol;
type Branded<T, B extends string> = T & { readonly [brand]: B };

const BASE32 = "[a-z2-7]";

/** One execution of the harness: 26 lowercase base32 characters. */
export type RunId = Branded<string, "RunId">;
export const RunId = Type.Unsafe<RunId>(Type.String({ pattern: `^${BASE32}{26}$` }));

/** The public id of one attempt or one probe: 16 lowercase base32 characters, 80 random bits. */
export type Token = Branded<string, "Token">;
export const Token = Type.Unsafe<Token>(Type.String({ pattern: `^${BASE32}{16}$` }));

/** The provider's own id of a sandbox; opaque, never published. */
export type SandboxId = Branded<string, "SandboxId">;
export const SandboxId = Type.Unsafe<SandboxId>(Type.String({ minLength: 1, maxLength: 1024 }));

/** `kind:` and 8 base32 characters of an HMAC under a key that dies with the run. */
export type Pseudonym = Branded<string, "Pseudonym">;
export const Pseudonym = Type.Unsafe<Pseudonym>(Type.String({ pattern: `^[a-z-]+:${BASE32}{8}$` }));

export type CheckId = Branded<string, "CheckId">;
export const CheckId = Type.Unsafe<CheckId>(Type.String({ pattern: "^[a-z]+\\.[a-z0-9-]+$" }));

export const Sha256 = Type.String({ pattern: "^[0-9a-f]{64}$" });
export const Count = Type.Integer({ minimum: 0 });
export const Milliseconds = Type.Number({ minimum: 0, description: "milliseconds" });
/** Nanoseconds since the run began, by the harness's monotonic clock. */
export const Nanoseconds = Type.Integer({ minimum: 0, description: "nanoseconds since the run began" });

export const Labels = Type.Record(Type.String(), Type.String());
export const JsonObject = Type.Record(Type.String(), Type.Unknown());

export const ERROR_CODES = [
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
  "deadline-exceeded",
  "cancelled",
  "connection-lost",
  "unavailable",
  "protocol",
  "internal",
] as const;
export const ErrorCode = oneOf(...ERROR_CODES);
export type ErrorCode = Static<typeof ErrorCode>;

/** How a command ended. A union, so that an adapter that does not know cannot name a code. */
export const Exit = Type.Union([
  closed({ kind: Type.Literal("exited"), code: Type.Integer({ minimum: 0, maximum: 255 }) }),
  closed({ kind: Type.Literal("signaled"), signal: Type.String({ pattern: "^SIG[A-Z0-9+-]+$" }) }),
  closed({ kind: Type.Literal("timed-out") }),
  closed({ kind: Type.Literal("unknown"), reason: Type.String() }),
]);
export type Exit = Static<typeof Exit>;

export const Boundary = oneOf("process", "shared-kernel", "userspace-kernel", "own-kernel");
export type Boundary = Static<typeof Boundary>;

export const SandboxState = oneOf("pending", "running", "paused", "stopping", "terminal", "absent");
export type SandboxState = Static<typeof SandboxState>;
