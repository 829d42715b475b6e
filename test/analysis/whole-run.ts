/** A run of profile `prove` that conforms, as a hand-made history: every check passes on it. */
import { analyse, type Facts } from "../../analysis/analyse.ts";
import type { Exit } from "../../schemas/core.ts";
import type { Environment, Results } from "../../schemas/documents.ts";
import { environmentOf } from "../evidence/build-run.ts";
import { failed, type History, history, lost, refused, WAITS } from "../suites/history.ts";

const exited = (code: number): Exit => ({ kind: "exited", code });
const during = { processes: ["shell"], cgroups: ["group"], mounts: ["root"], "local-state": ["file"] } as const;

/** With everything at its place: `prove` on this host, by labels, with files. */
export const proveEnvironment = (changes: Partial<Environment> = {}): Environment => {
  const { selection: _none, ...rest } = environmentOf();
  return {
    ...rest,
    runId: "a".repeat(26) as Environment["runId"],
    waits: WAITS,
    capabilities: { files: {} },
    ...changes,
  };
};

const used = (h: History, target: string): History =>
  h.create(target).exec(target, {
    probe: "lifecycle.create-usable/first-exec",
    expect: { exit: exited(0), stdout: "n" },
    stdout: "n",
  });
const seen = (h: History, ...targets: readonly string[]): History =>
  targets.reduce((on, target) => on.observe(target), h.wait(600).list(["by", ...targets]));
/** Destroyed, and watched to its end from inside and outside. */
const gone = (
  h: History,
  target: string,
  { probe, beside = [] }: { probe?: string; beside?: readonly string[] } = {},
): History =>
  h
    .token(target, 1)
    .destroy(target, probe === undefined ? {} : { probe })
    .observed(5, target, "absent")
    .token(target, 0)
    .native(target, false)
    .wait(1_600)
    .list(["by", ...beside]);
const lookAtBystander = (h: History): History =>
  h
    .in("harness.bystander")
    .observe("by", "running", { probe: "lifecycle.bystander-safe/observe" })
    .exec("by", { probe: "lifecycle.bystander-safe/marker", stdout: "m", expect: { exit: exited(0), stdout: "m" } });

function quietLife(h: History): void {
  h.in("lifecycle.whole-life");
  for (const target of ["s1", "s2"]) used(h, target);
  gone(gone(seen(h, "s1", "s2"), "s2", { beside: ["s1"] }), "s1");
  for (let n = 0; n < 10; n += 1) h.destroy("s1", { probe: "lifecycle.destroy-idempotent/again", absent: true });
  h.observe("s1", "absent", { probe: "lifecycle.unknown-id-definite/ended" });
}

function commands(h: History): void {
  used(h.in("exec.commands"), "s3");
  for (const code of [0, 1, 2, 7, 42, 126, 127, 128, 255])
    h.exec("s3", { probe: `exec.exit-code/exit-${code}`, expect: { exit: exited(code) }, exit: exited(code) });
  for (const name of ["a", "b", "c"])
    h.exec("s3", {
      probe: `exec.streams-separate/${name}`,
      expect: { stdout: "o", stderr: "e" },
      stdout: "o",
      stderr: "e",
    });
  h.exec("s3", { probe: "exec.argv-exact/all", expect: { stdout: "a b" }, stdout: "a b" })
    .exec("s3", {
      probe: "exec.timeout-prompt/sleeping",
      timeoutMs: 100,
      tookMs: 120,
      exit: { kind: "timed-out" },
      expect: { exit: { kind: "timed-out" } },
    })
    .exec("s3", { probe: "lifecycle.env-delivered/values", expect: { stdout: "env" }, stdout: "env" })
    .exec("s3", { probe: "isolation.environment-clean/environ", found: [1, 0, 0] })
    .write("s3", "content", { probe: "files.round-trip/write" })
    .exec("s3", { probe: "files.round-trip/inside", expect: { stdout: "digest" }, stdout: "digest" })
    .exec("s3", { probe: "files.round-trip/copy" })
    .read("s3", "content", "content", { probe: "files.round-trip/read" })
    .exec("s3", { probe: "files.visible-both-ways/inside", expect: { stdout: "x" }, stdout: "x" })
    .exec("s3", { probe: "exec.exactly-once/append" })
    .exec("s3", { probe: "exec.exactly-once/count", stdout: "1\n" })
    .exec("s3", { probe: "exec.at-most-once/append", ends: lost("dropped") })
    .exec("s3", { probe: "exec.at-most-once/count", stdout: "1\n" })
    .destroy("s3");
  used(h.in("exec.cut-stream"), "s4").exec("s4", {
    probe: "exec.no-forged-exit/cut",
    stdout: "line",
    ends: failed("connection-lost"),
  });
  gone(h, "s4");
  // The command was told as ended only after the destroy.
  const cut = h.events.findLast((event) => event.type === "info");
  if (cut !== undefined) Object.assign(cut, { t: cut.t + 20_000_000 });
}

function faults(h: History): void {
  h.in("lifecycle.refused-create")
    .frame("refused-before", during)
    .create("s5", { ends: refused("invalid-argument") })
    .wait(800)
    .list(["by"])
    .frame("refused-after", during);
  h.in("lifecycle.lost-reply")
    .create("s6", { ends: lost("dropped") })
    .struck("reply-dropped")
    .wait(800)
    .list(["by", "s6"]);
  gone(h, "s6");
  h.in("lifecycle.failed-create");
  for (const [target, name, fault] of [
    ["s7", "cancelled", "cancelled"],
    ["s8", "adapter-killed", "adapter-killed"],
  ] as const) {
    h.frame(`${name}-before`, during)
      .create(target, { probe: `lifecycle.create-failed-clean/${name}`, ends: lost("died") })
      .struck(fault)
      .wait(800)
      .list(["by"])
      .frame(`${name}-after`, during);
  }
  seen(used(h.in("lifecycle.restart"), "s9"), "s9")
    .killed()
    .list(["by", "s9"]);
  gone(
    h
      .destroy("s9", { ends: lost("died") })
      .struck("adapter-killed")
      .list(["by", "s9"]),
    "s9",
    {
      probe: "lifecycle.restart-recovers/destroy",
    },
  );
}

export function wholeRun(): History {
  const h = history().frame("before").check(true).in("harness.bystander").create("by");
  lookAtBystander(h).frame("during", during);
  quietLife(h);
  commands(h);
  faults(h);
  h.ended();
  lookAtBystander(h).in("harness.teardown").destroy("by").list([]);
  return h.teardown().frame("after").end();
}

export const factsOf = (h: History, environment = proveEnvironment()): Facts => ({
  environment,
  events: h.events,
  witness: h.witness,
  root: "0".repeat(64),
});

export const resultsOf = (h: History, environment = proveEnvironment()): Results => analyse(factsOf(h, environment));

/** The same, with what is told of some events changed. */
export function without(h: History, drop: (event: History["events"][number]) => boolean): History {
  const kept = h.events.filter((event) => !drop(event));
  h.events.splice(0, h.events.length, ...kept);
  return h;
}
