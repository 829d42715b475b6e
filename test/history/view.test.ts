import { join } from "node:path";
import { expect, test } from "vitest";
import { loadHistory } from "../../history/reader.ts";
import { durationNs, invokeValue, notOk, okValue, viewHistory } from "../../history/view.ts";
import { digests, inTemporaryFolder, writeSample } from "./sample-run.ts";

const view = (rounds: number, end: "end" | "no-end" = "end") =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, "0.ndjson");
    writeSample(path, rounds, end);
    const { events } = await loadHistory(path);
    return viewHistory(events);
  });

test("operations in order, with their completions", async () => {
  const { operations, status, at } = await view(2);
  expect(status).toBe("complete");
  expect(operations.map(({ f, completion }) => `${f} ${completion?.type}`)).toEqual([
    "create ok",
    "exec ok",
    "exec info",
    "destroy ok",
    "create ok",
    "exec ok",
    "exec info",
    "destroy ok",
  ]);
  for (const operation of operations) expect(at(operation.index)).toBe(operation);
  expect(at(1)).toBeUndefined();
});

test("look-ups by method, sandbox, check and scenario", async () => {
  const history = await view(2);
  expect(history.byMethod("exec").length).toBe(4);
  expect(history.byMethod("constructor")).toEqual([]);
  expect(history.byTarget("s2").map(({ f }) => f)).toEqual(["create", "exec", "exec", "destroy"]);
  expect(history.byProbe("exec.exit-code").map(({ probe }) => probe)).toEqual(Array(2).fill("exec.exit-code/zero"));
  expect(history.byProbe("exec.exit")).toEqual([]);
  expect(history.byScenario("exec.basics").length).toBe(8);
});

test("typed values, only of the method asked for and only where they exist", async () => {
  const { byMethod } = await view(1);
  const [create, done, lost] = [...byMethod("create"), ...byMethod("exec")];
  if (create === undefined || done === undefined || lost === undefined) throw new Error("the sample has changed");
  expect(okValue(create, "create")?.id).toBe(digests.pseudonym("sandbox", "s1"));
  expect(okValue(create, "exec")).toBeUndefined();
  expect(invokeValue(done, "exec")?.content.sha256).toBe(digests.made("echo 1").sha256);
  expect(invokeValue(done, "create")).toBeUndefined();
  expect(okValue(done, "exec")?.stdout.number).toBe(1);
  expect(okValue(lost, "exec")).toBeUndefined();
  expect(notOk(lost)?.error.code).toBe("deadline-exceeded");
  expect(notOk(done)).toBeUndefined();
  expect(durationNs(create)).toBe(990);
});

test("notes by kind", async () => {
  const { notes } = await view(2);
  expect(notes("late-reply").map(({ event, value }) => `${event.target} ${value.answer}`)).toEqual(["s1 ok", "s2 ok"]);
  expect(notes("figure")).toEqual([]);
});

test("a killed run: no end, and a call without completion", async () => {
  const { status, operations } = await view(1, "no-end");
  expect(status).toBe("truncated");
  expect(operations.length).toBe(4);
  const cut = viewHistory(operations.map(({ invoke }) => invoke));
  expect(cut.operations.every(({ completion }) => completion === undefined)).toBe(true);
});
