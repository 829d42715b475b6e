/** Logical processes of the history: one call at a time each; a process whose call ended as `info` is never used again. */
export class Processes {
  readonly #free: number[] = [];
  #next = 0;

  take(): number {
    return this.#free.pop() ?? this.#next++;
  }

  release(process: number): void {
    this.#free.push(process);
  }
}
