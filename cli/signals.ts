/** Ctrl-C, SIGTERM and the end of the terminal: the first asks the run to stop and clean up, the second leaves at once and says how to clean up. */

const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
type StopSignal = keyof typeof CODES;
const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM"] as const satisfies readonly StopSignal[];

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
  const onSignal = (name: StopSignal) => {
    if (first !== undefined) {
      process.stderr.write(`\nStopped without cleaning up. To remove what is left: ${advice}\n`);
      process.exit(CODES[name]);
    }
    first = name;
    process.stderr.write("\nStopping: removing what the run made. Once more to leave at once.\n");
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    exitCode: () => (first === undefined ? undefined : CODES[first]),
    release() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
