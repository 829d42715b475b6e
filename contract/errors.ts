import { ERROR_CODES, type ErrorCode } from "../schemas/core.ts";

/** Codes that by default mean: this call certainly had no effect (contract §3). */
const DEFINITE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
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

export const definiteByDefault = (code: ErrorCode): boolean => DEFINITE.has(code);

/** The one error of the port. `definite` says that this call certainly had no effect. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
  readonly code: ErrorCode;
  readonly definite: boolean;
  readonly retryable: boolean;
  readonly vendorMessage: string;

  constructor(
    code: ErrorCode,
    vendorMessage: string,
    options: { definite?: boolean; retryable?: boolean; cause?: unknown } = {},
  ) {
    super(`${code}: ${vendorMessage}`, { cause: options.cause });
    this.code = code;
    this.definite = options.definite ?? definiteByDefault(code);
    this.retryable = options.retryable ?? (code === "rate-limited" || code === "unavailable");
    this.vendorMessage = vendorMessage;
  }

  /** Any thrown value as a `ProviderError`: what is not typed is `internal`, indefinite. */
  static from(thrown: unknown): ProviderError {
    if (thrown instanceof ProviderError) return thrown;
    if (isForeignCopy(thrown)) {
      const { code, vendorMessage, definite, retryable } = thrown;
      return new ProviderError(code, vendorMessage, { definite, retryable, cause: thrown });
    }
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new ProviderError("internal", message, { cause: thrown });
  }
}

/** The same class from another copy of this package, as an adapter with its own dependency on it throws it. */
const isForeignCopy = (thrown: unknown): thrown is ProviderError =>
  thrown instanceof Error &&
  thrown.name === "ProviderError" &&
  "code" in thrown &&
  ERROR_CODES.some((code) => code === thrown.code) &&
  "vendorMessage" in thrown &&
  typeof thrown.vendorMessage === "string" &&
  "definite" in thrown &&
  typeof thrown.definite === "boolean" &&
  "retryable" in thrown &&
  typeof thrown.retryable === "boolean";
