/** Public ids, from the system's random source. */
import { randomBytes } from "node:crypto";
import type { RunId, Token } from "../schemas/core.ts";
import { base32 } from "./base32.ts";

/** 26 characters, 130 random bits. */
export const newRunId = (): RunId => base32(randomBytes(17)).slice(0, 26) as RunId;

/** 16 characters, 80 random bits. */
export const newToken = (): Token => base32(randomBytes(10)) as Token;
