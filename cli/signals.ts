/** Ctrl-C and SIGTERM: the first asks the run to stop and clean up, the second leaves at once and says how to clean up. */

const CODES = { SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof CODES;

export interface Stop {
  readonly signal: AbortSignal;
  /** The exit code of the first signal, once there was one. */
  readonly exitCode: () => number | undefined;
  release(): void;
}

/** @param advice printed at the second signal. */
export function watchForStop(advice: string): Stop {
  const controller = new AbortController();
  let first: StopSignal | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    const name: StopSignal = signal === "SIGTERM" ? "SIGTERM" : "SIGINT";
    if (first !== undefined) {
      process.stderr.write(`\nStopped without cleaning up. To remove what is left: ${advice}\n`);
      process.exit(CODES[name]);
    }
    first = name;
    process.stderr.write("\nStopping: removing what the run made. Once more to leave at once.\n");
    controller.abort();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    exitCode: () => (first === undefined ? undefined : CODES[first]),
    release() {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
