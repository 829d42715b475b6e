import { expect, test } from "vitest";
import { checkEvent } from "../../history/shape.ts";
import { history, lost, refused } from "./history.ts";

test("what the builder writes is what the recorder may write", () => {
  const { events } = history()
    .check(true)
    .create("by", { scenario: "harness.bystander" })
    .create("s1")
    .exec("s1", { probe: "exec.exit-code/a", expect: { exit: { kind: "exited", code: 0 }, stdout: "" }, found: [1, 0] })
    .exec("s1", { timeoutMs: 5, ends: lost("deadline") })
    .observe("s1")
    .list(["by", "s1", { bearsRun: true, marked: false }])
    .write("s1", "x")
    .read("s1", "x", "x")
    .stat("s1", { ends: refused("unsupported") })
    .destroy("s1", { absent: true })
    .struck("adapter-killed")
    .killed()
    .ended()
    .teardown()
    .end();
  expect(events.map(checkEvent).filter(({ ok }) => !ok)).toEqual([]);
});
