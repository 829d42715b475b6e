import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { finalScreen } from "../../reports/terminal.ts";
import { everyCheck, HOSTILE, sample, wholeProfile } from "./sample.ts";

const options = { colour: false, out: "runs/x", seed: "42" };

test("verdicts come first, in words beside their marks", async () => {
  const { results } = await sample();
  const [first, second] = finalScreen(results, options).split("\n");
  expect(first).toMatch(/^✔ Conformance passed \(selected 5 of \d+/);
  expect(second).toMatch(/^✔ Residue {5}none on 4 of 5 planes; not seen: ended-natively$/);
});

test("a failure shows what must hold, what was seen and how to run it again", async () => {
  const { results } = await sample({ seven: 0 });
  const screen = finalScreen(results, options);
  expect(screen).toContain("✘ exec.exit-code fails");
  expect(screen).toContain("    must hold  Exit codes 0, 1, 2, 7");
  expect(screen).toContain("    expected   code-7: exit code 7\n    observed   exit code 0\n");
  expect(screen).toContain("    again      sandproof run toy --check exec.exit-code --seed 42\n");
  expect(finalScreen(results, { ...options, program: ["./my adapter"] })).toContain(
    "--seed 42 --adapter -- './my adapter'",
  );
});

test("residue, what was not tested, and where the files are", async () => {
  const { results } = await sample({ left: 2 });
  const screen = finalScreen(results, options);
  expect(screen).toMatch(/✘ Residue {5}left on [\w, -]*processes/);
  expect(screen).toMatch(/✘ processes +2 +2 {2}fail: /);
  expect(screen).toMatch(/Not tested \([1-9]\d*\)/);
  expect(screen).toContain("sandproof analyze runs/x");
});

test("colour adds nothing but colour", async () => {
  const { results } = await sample({ seven: 0 });
  const coloured = finalScreen(results, { ...options, colour: true });
  const plain = finalScreen(results, options);
  expect(plain).not.toContain("\u001b");
  expect(coloured).toContain("\u001b[31m");
  expect(stripVTControlCharacters(coloured)).toBe(plain);
});

test.each([60, 80, 120])("lines fit %i columns, commands apart, however much failed", async (width) => {
  const { results } = await sample(wholeProfile);
  for (const status of ["fail", "unknown"] as const) {
    const screen = finalScreen(everyCheck(results, status, "many words ".repeat(40)), { ...options, width });
    const long = screen.split("\n").filter((line) => line.length > width && !line.includes("sandproof "));
    expect(long).toEqual([]);
  }
});

test("a hostile name reaches neither the terminal nor the shell that copies the command", async () => {
  const { results } = await sample({ seven: 0, environment: { provider: { name: `${HOSTILE}'; id`, version: "1" } } });
  const screen = finalScreen(everyCheck(results, "fail", HOSTILE), options);
  expect(screen.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(screen).toMatch(/again +sandproof run '.*'\\''; id' --check/);
});
