import { expect, test } from "vitest";
import { Progress } from "../../reports/progress.ts";

function output(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, columns: 40, written, write: (text: string) => written.push(text) };
}

function clock() {
  let now = 0;
  return {
    now() {
      now += 1_500_000_000;
      return now;
    },
  };
}

test("outside a terminal there is one plain line a scenario", () => {
  const out = output(false);
  const progress = new Progress(out, { clock: clock() });
  progress.started("exec.commands", 0, 2);
  progress.finished("exec.commands", "completed");
  progress.started("files.round-trip", 1, 2);
  progress.finished("files.round-trip", "abandoned", "no sandbox");
  progress.end();
  expect(out.written).toEqual([
    "• [1/2] exec.commands completed in 1.5 s\n",
    "? [2/2] files.round-trip abandoned in 1.5 s: no sandbox\n",
  ]);
});

test("in a terminal the live line is replaced, cut to the width, and cleared at the end", () => {
  const out = output(true);
  const progress = new Progress(out, { clock: clock() });
  progress.started("a-very-long-name.of-a-scenario-that-does-not-fit", 0, 1);
  const clear = "\r\u001b[2K";
  expect(out.written).toHaveLength(1);
  expect(out.written[0]?.startsWith(`${clear}… [1/1] a-very-long`)).toBe(true);
  expect(out.written[0]?.slice(clear.length).length).toBeLessThan(40);
  progress.end();
  progress.end();
  expect(out.written.at(-1)).toBe(clear);
});

test("quiet writes nothing", () => {
  const out = output(true);
  const progress = new Progress(out, { mode: "quiet" });
  progress.started("a.b", 0, 1);
  progress.finished("a.b", "completed");
  progress.end();
  expect(out.written).toEqual([]);
});

test("control characters are shown, not sent", () => {
  const out = output(false);
  const progress = new Progress(out, { clock: clock() });
  progress.started("a\u001b[2J", 0, 1);
  progress.finished("a\u001b[2J", "crashed", "x\r\ny\u202e");
  expect(out.written).toEqual(["! [1/1] a\\u{1b}[2J crashed in 1.5 s: x\\u{d}\\u{a}y\\u{202e}\n"]);
});
