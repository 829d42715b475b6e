import { type Operation, okValue } from "../../../history/view.ts";
import { eventsOf } from "../../cases.ts";
import { type Evidence, fail, type Judgement, pass, unknown } from "../../check.ts";

interface Tally {
  /** The append commands of one sandbox that may have run: all but those that were refused definitely. */
  readonly appends: readonly Operation[];
  readonly acknowledged: number;
  /** Appends of which nobody was told whether they ran. */
  readonly unanswered: number;
  /** How many lines the counter file held afterwards. */
  readonly lines: number;
  readonly count: Operation;
}

/** The counter files that scenarios kept: `append` cases add a line each, `count` reads how many there are. */
function tallies({ history }: Evidence, checkId: string): Tally[] {
  const counts = history.byProbe(checkId).filter((operation) => operation.probe?.endsWith("/count") === true);
  return counts.flatMap((count) => {
    const lines = okValue(count, "exec")?.stdout.number;
    if (lines === undefined) return [];
    const appends = history
      .byTarget(count.target ?? "")
      .filter((operation) => operation.index < count.index && operation.probe === `${checkId}/append`)
      .filter((append) => append.completion?.type !== "fail");
    const acknowledged = appends.filter((append) => {
      const exit = okValue(append, "exec")?.exit;
      return exit?.kind === "exited" && exit.code === 0;
    }).length;
    const unanswered = appends.filter((append) => append.completion?.type !== "ok").length;
    return [{ appends, acknowledged, unanswered, lines, count }];
  });
}

/** However a call failed, its command ran no more than once. */
export function atMostOnce(evidence: Evidence): Judgement {
  const found = [...tallies(evidence, "exec.at-most-once"), ...tallies(evidence, "exec.exactly-once")];
  for (const { appends, lines, count } of found) {
    if (lines > appends.length) {
      return fail(
        "guest",
        [...appends.map((a) => a.index), ...eventsOf(count)],
        `at most ${appends.length} runs of ${appends.length} commands`,
        `${lines} runs`,
      );
    }
  }
  const unanswered = found.reduce((sum, tally) => sum + tally.unanswered, 0);
  const sent = found.reduce((sum, { appends }) => sum + appends.length, 0);
  if (unanswered === 0) return unknown("too-few", "no command lost its answer");
  return pass("guest", sent, `${sent} commands, ${unanswered} without an answer, none ran twice`);
}

/** Every acknowledged command ran. */
export function exactlyOnce(evidence: Evidence): Judgement {
  const found = tallies(evidence, "exec.exactly-once");
  const acknowledged = found.reduce((sum, tally) => sum + tally.acknowledged, 0);
  for (const tally of found) {
    if (tally.lines < tally.acknowledged) {
      return fail(
        "guest",
        [...tally.appends.map((a) => a.index), ...eventsOf(tally.count)],
        `${tally.acknowledged} runs of as many acknowledged commands`,
        `${tally.lines} runs`,
      );
    }
  }
  return acknowledged === 0
    ? unknown("too-few", "no append was acknowledged and counted")
    : pass("guest", acknowledged, `${acknowledged} acknowledged commands ran`);
}
