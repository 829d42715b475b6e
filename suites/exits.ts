import type { Exit } from "../schemas/core.ts";

export const exited = (code: number): Exit => ({ kind: "exited", code });
export const timedOut: Exit = { kind: "timed-out" };
