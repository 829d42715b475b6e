import type { SandboxId } from "../schemas/core.ts";
import type { Command, FileStat, Observation } from "../schemas/messages.ts";
import type { Completion, Where } from "./call-recorder.ts";
import type { ExecOutput, ExecRequest, Recorder, Subject } from "./recorder.ts";

export type At = Omit<Where, "scenario">;
type Arguments = readonly [string, ...string[]];

/** One sandbox in a scenario's hands. Every method is one recorded operation. */
export class Sandbox implements Subject {
  readonly id: SandboxId;
  readonly target: string;
  readonly #recorder: Recorder;
  readonly #scenario: string;

  constructor(recorder: Recorder, scenario: string, id: SandboxId, target: string) {
    this.#recorder = recorder;
    this.#scenario = scenario;
    this.id = id;
    this.target = target;
  }

  exec(
    argv: Arguments,
    request: Omit<ExecRequest, "command"> & Omit<Command, "argv" | "script"> = {},
    at: At = {},
  ): Promise<Completion<ExecOutput>> {
    const { cwd, env, timeoutMs, ...rest } = request;
    const command = {
      argv: [...argv],
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    };
    return this.#recorder.exec(this.#where(at), this, { ...rest, command });
  }

  observe(at: At = {}): Promise<Completion<Observation>> {
    return this.#recorder.observe(this.#where(at), this);
  }

  destroy(at: At = {}): Promise<Completion<{ absent: boolean }>> {
    return this.#recorder.destroy(this.#where(at), this);
  }

  write(path: string, content: Uint8Array, at: At = {}): Promise<Completion<{ bytes: number }>> {
    return this.#recorder.write(this.#where(at), this, path, content);
  }

  read(path: string, expect?: Uint8Array, at: At = {}): Promise<Completion<{ bytes: number; text: string }>> {
    return this.#recorder.read(this.#where(at), this, path, expect);
  }

  stat(path: string, at: At = {}): Promise<Completion<FileStat>> {
    return this.#recorder.stat(this.#where(at), this, path);
  }

  #where(at: At): Where {
    return { scenario: this.#scenario, ...at };
  }
}
