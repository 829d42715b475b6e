/** What the engine asks of a witness on this host; the host table implements it. */
export interface HostObserver {
  /** Counts the live processes that bear the token, and learns where its sandbox runs. */
  token(token: string, target?: string): number;
  /** Whether anything of the target still runs; undefined when the witness never learnt where it runs. */
  native(target: string): { readonly live: boolean } | undefined;
  sample(): void;
  frame(moment: string): unknown;
  /** Waits, at most `boundMs`, until nothing of the run is there that was not in the frame `since`, then frames. */
  settle(moment: string, boundMs: number, since?: string): Promise<unknown>;
}
