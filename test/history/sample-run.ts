/** A small history as the engine would write it, for the tests of all that reads one. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../contract/clock.ts";
import { genesis } from "../../history/chain.ts";
import { Digests } from "../../history/digests.ts";
import { newToken } from "../../history/tokens.ts";
import { HistoryWriter } from "../../history/writer.ts";

export const ORIGIN = { runId: "a".repeat(26), shard: "0", environmentSha256: "0".repeat(64) };
export const GENESIS = genesis(ORIGIN);
export const digests = new Digests(new Uint8Array(32).fill(7));

/** Advances by a microsecond a reading. */
export function steppingClock(): Clock {
  let now = 0;
  return {
    now() {
      now += 1000;
      return now;
    },
  };
}

export function inTemporaryFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "sandproof-test-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  let result: T;
  try {
    result = use(folder);
  } catch (error) {
    remove();
    throw error;
  }
  if (result instanceof Promise) return result.finally(remove) as T;
  remove();
  return result;
}

/** Writes `rounds` times create, exec, a failed exec, a note and destroy; `end` or not as asked. */
export function writeSample(path: string, rounds: number, end: "end" | "no-end" = "end"): HistoryWriter {
  const writer = HistoryWriter.create({ path, genesis: GENESIS, clock: steppingClock() });
  const stdout = digests.seenOf("1\n");
  const stderr = digests.seenOf("");
  for (let round = 1; round <= rounds; round += 1) {
    const place = { process: 0, scenario: "exec.basics" };
    const target = `s${round}`;
    const probe = "exec.exit-code/zero";
    const create = writer.append({
      ...place,
      type: "invoke",
      f: "create",
      target,
      value: { attempt: newToken(), members: ["labels"] },
    });
    const id = digests.pseudonym("sandbox", target);
    writer.append({ ...place, type: "ok", f: "create", of: create.i, sent: create.t + 10, target, value: { id } });
    const value = { form: "argv", content: digests.made(`echo ${round}`), members: [], token: newToken() };
    const exec = writer.append({ ...place, type: "invoke", f: "exec", target, probe, value });
    writer.append({
      ...place,
      type: "ok",
      f: "exec",
      of: exec.i,
      sent: exec.t,
      target,
      value: { exit: { kind: "exited", code: 0 }, stdout, stderr },
    });
    const lost = writer.append({ ...place, type: "invoke", f: "exec", target, value });
    writer.append({
      ...place,
      type: "info",
      f: "exec",
      of: lost.i,
      sent: lost.t,
      target,
      error: { code: "deadline-exceeded", definite: false, refused: false, origin: "deadline" },
      value: { stdout, stderr },
    });
    writer.append({ ...place, type: "note", f: "late-reply", of: lost.i, target, value: { answer: "ok" } });
    const destroy = writer.append({ ...place, type: "invoke", f: "destroy", target, value: {} });
    writer.append({ ...place, type: "ok", f: "destroy", of: destroy.i, sent: destroy.t, target, value: {} });
  }
  if (end === "end") writer.end();
  return writer;
}
