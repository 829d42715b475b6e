import { newToken } from "../history/tokens.ts";
import type { Recorder, Subject } from "./recorder.ts";
import type { HostObserver } from "./witness.ts";

const PROBE = "lifecycle.bystander-safe";
const SCENARIO = "harness.bystander";

/** A sandbox that nothing in the run is aimed at: made first, looked at last, removed after everything else. */
export class Bystander {
  readonly subject: Subject;
  readonly #recorder: Recorder;
  readonly #marker: string;

  private constructor(recorder: Recorder, subject: Subject, marker: string) {
    this.#recorder = recorder;
    this.subject = subject;
    this.#marker = marker;
  }

  /** The failure of its create is the run's first fact about the provider; the caller decides what it means. */
  static async create(
    recorder: Recorder,
    host: HostObserver | undefined,
  ): Promise<Bystander | { readonly failed: string; readonly code: string }> {
    const created = await recorder.create({ scenario: SCENARIO }, { role: "bystander" });
    if (created.type !== "ok") return { failed: created.message, code: created.error.code };
    const marker = newToken();
    const bystander = new Bystander(recorder, created.value, marker);
    const plant = `printf %s "$0" >marker; sh -c 'sleep 86400; :' "$0" >/dev/null 2>&1 </dev/null &`;
    await recorder.exec({ scenario: SCENARIO }, created.value, {
      command: { argv: ["sh", "-c", plant, marker] },
      token: marker,
    });
    host?.token(marker, created.value.target);
    await bystander.look();
    return bystander;
  }

  /** Observes it and reads its marker: the first look says how it was, the last how it is. */
  async look(deadlineMs?: number): Promise<void> {
    const at = { scenario: SCENARIO, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
    await this.#recorder.observe({ ...at, probe: `${PROBE}/observe` }, this.subject);
    await this.#recorder.exec({ ...at, probe: `${PROBE}/marker` }, this.subject, {
      command: { argv: ["cat", "marker"] },
      expect: { exit: { kind: "exited", code: 0 }, stdout: this.#marker },
    });
  }
}
