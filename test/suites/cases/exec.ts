import type { Exit } from "../../../schemas/core.ts";
import { failed, type History, history, lost, refused } from "../history.ts";
import type { Cases } from "./case.ts";

const CODES = [0, 1, 2, 7, 42, 126, 127, 128, 255];
const exited = (code: number): Exit => ({ kind: "exited", code });
const timedOut: Exit = { kind: "timed-out" };

/** All nine codes; `told` says what comes back instead of one. */
const codes = (told: Readonly<Record<number, Exit>> = {}, from = CODES): History =>
  from.reduce(
    (h, code) =>
      h.exec("s1", {
        probe: `exec.exit-code/exit-${code}`,
        expect: { exit: exited(code) },
        exit: told[code] ?? exited(code),
      }),
    history().create("s1"),
  );

function streams(stdout = "A", stderr = "B"): History {
  const probed = (name: string) => ({
    probe: `exec.streams-separate/${name}`,
    expect: { exit: exited(0), stdout: "A", stderr: "B" },
  });
  return history()
    .exec("s1", { ...probed("a"), stdout: "A", stderr: "B" })
    .exec("s1", { ...probed("b"), stdout: "A", stderr: "B" })
    .exec("s1", { ...probed("c"), stdout, stderr });
}

const ARGV = { probe: "exec.argv-exact/hard-arguments", expect: { exit: exited(0), stdout: "<a b>\0<>\0" } };
const argv = (stdout: string) => history().exec("s1", { ...ARGV, stdout });

const SLEEP = { probe: "exec.timeout-prompt/sleeping", timeoutMs: 500, expect: { exit: timedOut, stdout: "before\n" } };
const timeout = (call: object) =>
  history().exec("s1", { ...SLEEP, exit: timedOut, stdout: "before\n", tookMs: 600, ...call });

/** A command that prints under a destroy; the destroy is sent and answered before the command's end is told. */
function cut(
  end: { exit?: Exit; ends?: ReturnType<typeof lost>; printed?: string },
  order: "destroyed" | "ended-first" = "destroyed",
): History {
  const { printed = "line 0\n", ...how } = end;
  const h = history()
    .create("s1")
    .exec("s1", { probe: "exec.no-forged-exit/destroyed", stdout: printed, ...how });
  h.wait(5).destroy("s1");
  const done = h.events.find((event) => "of" in event && event.f === "exec");
  // The recorder appends what ends last as the last.
  return order === "destroyed" && done !== undefined ? moveToEnd(h, done.i) : h;
}

function moveToEnd(h: History, i: number): History {
  const moved = h.events[i];
  if (moved !== undefined) Object.assign(moved, { t: (h.events.at(-1)?.t ?? 0) + 1000 });
  return h;
}

/** Appends of one sandbox, and what its counter held. */
function counted(check: "exec.at-most-once" | "exec.exactly-once", lines: string, ...appends: object[]): History {
  const h = history().create("s1");
  for (const call of appends) h.exec("s1", { probe: `${check}/append`, ...call });
  return h.exec("s1", { probe: `${check}/count`, stdout: lines });
}
const dropped = { ends: lost("dropped") };
const number = (h: History, value: number): History => {
  const count = h.events.findLast((event) => event.type === "ok");
  if (count?.type === "ok") Object.assign((count.value as { stdout: object }).stdout, { number: value });
  return h;
};
const most = (lines: number, ...appends: object[]) =>
  number(counted("exec.at-most-once", `${lines}\n`, ...appends), lines);
const exactly = (lines: number, ...appends: object[]) =>
  number(counted("exec.exactly-once", `${lines}\n`, ...appends), lines);

export const execCases = {
  "exec.exit-code": {
    good: { "all nine": codes(), "in another order": codes({}, CODES.toReversed()) },
    bad: {
      "7 told as 0": codes({ 7: exited(0) }),
      "255 told as a signal": codes({ 255: { kind: "signaled", signal: "SIGKILL" } }),
      refused: codes().exec("s1", { probe: "exec.exit-code/again", ends: refused("conflict") }),
    },
    unknown: {
      "too-few": { "eight of nine": codes({}, CODES.slice(1)) },
      indeterminate: {
        "an exit that nobody knows": codes().exec("s1", { probe: "exec.exit-code/again", ends: failed("internal") }),
      },
      "adapter-fault": {
        "a malformed reply": codes().exec("s1", { probe: "exec.exit-code/again", ends: lost("malformed") }),
      },
    },
  },
  "exec.streams-separate": {
    good: { "three cases": streams(), "once more": streams().exec("s1", { probe: "exec.streams-separate/d" }) },
    bad: { merged: streams("AB", ""), "stderr lost": streams("A", ""), swapped: streams("B", "A") },
    unknown: { "too-few": { "one case": history().exec("s1", { probe: "exec.streams-separate/a" }) } },
  },
  "exec.argv-exact": {
    good: { exact: argv("<a b>\0<>\0"), "and others beside it": argv("<a b>\0<>\0").exec("s1", { exit: exited(3) }) },
    bad: { "split at spaces": argv("<a>\0<b>\0"), "the empty one lost": argv("<a b>\0") },
    unknown: {
      "too-few": { "never asked": history().create("s1") },
      indeterminate: { "no answer in time": history().exec("s1", { ...ARGV, ends: lost("deadline") }) },
    },
  },
  "exec.timeout-prompt": {
    good: { "within the grace": timeout({}), "at its very end": timeout({ tookMs: 999 }) },
    bad: {
      "after the grace": timeout({ tookMs: 1_100 }),
      "the harness had to give up": timeout({ ends: lost("deadline") }),
      "told as an exit": timeout({ exit: exited(124) }),
      "what was printed is lost": timeout({ stdout: "" }),
    },
    unknown: {
      "too-few": { "nothing timed out": history().exec("s1") },
      "adapter-fault": { "the adapter died, late": timeout({ tookMs: 5_000, ends: lost("died") }) },
      indeterminate: { "an unknown exit": timeout({ ends: failed("internal") }) },
    },
  },
  "exec.no-forged-exit": {
    good: {
      "told as an error": cut({ ends: failed("connection-lost") }),
      "told as a signal": cut({ exit: { kind: "signaled", signal: "SIGKILL" } }),
      "a signal in the declared form": [cut({ exit: exited(137) }), { capabilities: { signalForm: "128+n" } }],
    },
    bad: {
      "success invented": cut({ exit: exited(0) }),
      "another code invented": cut({ exit: exited(137) }),
      "the declared form is for signals": [cut({ exit: exited(1) }), { capabilities: { signalForm: "128+n" } }],
    },
    unknown: {
      "control-failed": {
        "it had printed nothing": cut({ ends: failed("connection-lost"), printed: "" }),
        "it had ended before the destroy": cut({ exit: exited(0) }, "ended-first"),
      },
      "too-few": { "its sandbox was not destroyed": history().exec("s1", { probe: "exec.no-forged-exit/destroyed" }) },
      indeterminate: { "its end was never told": cut({ ends: lost("deadline") }) },
      "adapter-fault": { "the adapter died": cut({ ends: lost("died") }) },
    },
  },
  "exec.at-most-once": {
    good: { "one lost answer, one line": most(1, dropped), "one lost answer, not run": most(1, {}, dropped) },
    bad: {
      "a lost answer ran twice": most(2, dropped),
      "an acknowledged one ran twice": exactly(3, {}, {}),
      "what was refused ran": most(2, dropped, { ends: refused("unavailable") }),
    },
    unknown: {
      "too-few": {
        "every command was answered": most(1, {}),
        "a refusal is an answer": most(0, { ends: refused("conflict") }),
        "the counter was not read": counted("exec.at-most-once", "no such file", dropped),
      },
    },
  },
  "exec.exactly-once": {
    good: { "two of two": exactly(2, {}, {}), "one more than was acknowledged": exactly(2, {}, dropped) },
    bad: { "none of one": exactly(0, {}), "two of three": exactly(2, {}, {}, {}) },
    unknown: { "too-few": { "none acknowledged": exactly(0, dropped), "never counted": history().exec("s1") } },
  },
} satisfies Record<string, Cases>;
