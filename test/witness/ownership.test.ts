import { describe, expect, test } from "vitest";
import { isLive, kill, lastPlane, launch, printedPid, scene, until } from "./support.ts";

describe("ours and others", () => {
  test("an orphan is ours after the adapter was killed, though it left the session", async () => {
    const of = scene();
    of.witness.frame("before");
    const adapter = launch(["sh", "-c", "setsid sh -c 'echo $$; exec sleep 300' & wait"]);
    of.witness.adopt(adapter.pid);
    const orphan = await printedPid(adapter);
    of.witness.sample();
    kill(adapter.pid);
    await until("the adapter's end", () => !isLive(adapter.pid));
    of.witness.frame("after");
    expect(lastPlane(of, "processes").ours).toEqual([of.nameOf(orphan)]);
    expect(of.witness.left()).toEqual([{ kind: "processes", description: expect.stringContaining("sleep 300") }]);
    kill(orphan);
    await of.witness.settle("settled", 10_000);
    expect(lastPlane(of, "processes")).toMatchObject({ moment: "settled", readable: true, ours: [] });
  });

  test("a double fork that no sample saw is ours by its session", async () => {
    const of = scene();
    of.witness.frame("before");
    const adapter = launch(["sh", "-c", "read go; (sleep 300 >/dev/null & echo $!); exec sleep 300"]);
    of.witness.adopt(adapter.pid);
    adapter.stdin?.end("go\n");
    const orphan = await printedPid(adapter);
    await until("the subshell's end", () => of.witness.left().length === 1);
    of.witness.frame("after");
    expect(lastPlane(of, "processes").ours).toEqual([of.nameOf(orphan)]);
  });

  test("a process that bears the run's mark is ours, another is only told", async () => {
    const of = scene();
    of.witness.frame("before");
    const marked = launch(["sleep", "300"], { SANDPROOF_RUN: of.runId });
    const foreign = launch(["sleep", "300"], { SANDPROOF_RUN: "another" });
    await until("both execs", () => of.witness.left().length === 1);
    of.witness.frame("after");
    const plane = lastPlane(of, "processes");
    expect(plane.ours).toEqual([of.nameOf(marked.pid)]);
    expect(plane.ours).not.toContain(of.nameOf(foreign.pid));
    expect(plane.others).toBeGreaterThanOrEqual(1);
  });

  test("the current adapter is no residue, the one that was dismissed is", () => {
    const of = scene();
    of.witness.frame("before");
    const adapter = launch(["sleep", "300"]);
    of.witness.adopt(adapter.pid);
    expect(of.witness.left()).toEqual([]);
    of.witness.dismiss(adapter.pid);
    expect(of.witness.left()).toHaveLength(1);
    of.witness.excuse(adapter.pid);
    expect(of.witness.left()).toEqual([]);
  });

  test("an adapter behind a wrapper is no residue, what it makes later is, and both are when it was dismissed", async () => {
    const of = scene();
    of.witness.frame("before");
    const wrapper = launch(["sh", "-c", "sh -c 'echo $$; read go; sleep 300 & echo $!; wait'; :"]);
    of.witness.adopt(wrapper.pid);
    const adapter = await printedPid(wrapper);
    of.witness.excuseHelpers(wrapper.pid);
    expect(of.witness.left()).toEqual([]);
    wrapper.stdin?.end("go\n");
    const made = await printedPid(wrapper);
    of.witness.frame("during");
    expect(lastPlane(of, "processes").ours).toEqual([of.nameOf(made)]);
    of.witness.dismiss(wrapper.pid);
    of.witness.frame("after");
    const names = [wrapper.pid, adapter, made].map((pid) => of.nameOf(pid));
    expect(lastPlane(of, "processes").ours.toSorted()).toEqual(names.toSorted());
  });

  test("what was there before is neither", () => {
    const of = scene();
    launch(["sleep", "300"], { SANDPROOF_RUN: of.runId });
    of.witness.frame("before");
    expect(of.witness.left()).toEqual([]);
  });

  test("without a frame before, every plane counts as not readable", () => {
    const of = scene();
    expect(of.witness.frame("after").every((plane) => !plane.readable)).toBe(true);
  });

  test("the clock is the harness's own", () => {
    const of = scene();
    of.witness.start();
    expect(of.records("clock")).toEqual([{ lowNs: 0, highNs: 0 }]);
  });
});
