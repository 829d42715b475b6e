/** Exit codes that the command line itself gives; those of a run come from its verdicts. */
export const EXIT = { ok: 0, unknown: 2, residueLeft: 3, blocked: 4, usage: 254, harnessError: 255 } as const;
