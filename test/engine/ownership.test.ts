import { expect, test } from "vitest";
import { BYSTANDER_LABEL, bystanderName, ownershipLabels, ownershipName, RUN_LABEL } from "../../contract/ownership.ts";
import { Ownership } from "../../engine/ownership.ts";
import { newRunId, newToken } from "../../history/tokens.ts";
import type { SandboxId } from "../../schemas/core.ts";
import type { Description } from "../../schemas/description.ts";
import type { JournalEntry } from "../../schemas/documents.ts";
import type { ListItem } from "../../schemas/messages.ts";

const RUN = newRunId();
const OTHER_RUN = newRunId();
const id = (text: string) => text as SandboxId;
const item = (name: string, more: Partial<ListItem> = {}): ListItem => ({ id: id(name), state: "running", ...more });

function owning(mode: Description["ownership"] = "labels") {
  const journal: JournalEntry[] = [];
  return { journal, ownership: new Ownership(RUN, mode, { append: (entry) => void journal.push(entry) }) };
}
const idsOf = (ownership: Ownership) => ownership.live().map((one) => one.id);

test("an attempt is written down before its mark is given out", () => {
  const { ownership, journal } = owning();
  const { attempt, mark } = ownership.register("create", "subject");
  expect(journal).toEqual([
    { kind: "attempt", attempt: attempt.token, method: "create", role: "subject", target: "s1" },
  ]);
  expect(mark).toEqual({ labels: ownershipLabels(RUN, attempt.token) });
  expect(ownership.register("create", "subject").attempt.target).toBe("s2");
});

test("each mode marks in its own way, the bystander apart from the run", () => {
  const named = owning("name").ownership.register("create", "subject");
  expect(named.mark).toEqual({ name: ownershipName(RUN, named.attempt.token) });
  expect(named.mark.name).toHaveLength(28);
  expect(owning("client-id").ownership.register("create", "subject").mark).toEqual({});

  const { attempt, mark } = owning().ownership.register("create", "bystander");
  expect(attempt.target).toBe("by");
  expect(mark).toEqual({ labels: { [BYSTANDER_LABEL]: attempt.token } });
  const namedBystander = owning("name").ownership.register("create", "bystander");
  expect(namedBystander.mark).toEqual({ name: bystanderName(RUN, namedBystander.attempt.token) });
});

test.each(["labels", "name", "client-id"] as const)("a list tells whose an item is, by %s", (mode) => {
  const { ownership } = owning(mode);
  const { attempt } = ownership.register("create", "subject");
  const shown: ListItem =
    mode === "labels"
      ? item("x", { labels: ownershipLabels(RUN, attempt.token) })
      : mode === "name"
        ? item("x", { name: ownershipName(RUN, attempt.token) })
        : item(ownershipName(RUN, attempt.token));
  expect(ownership.recognise(shown)).toEqual({ owner: attempt, marked: attempt, bearsRun: true });
  expect([...attempt.ids]).toEqual([shown.id]);
});

test("an item without a mark is known by its id, and claims nothing", () => {
  const { ownership } = owning();
  const { attempt } = ownership.register("create", "subject");
  ownership.made(attempt, id("x"));
  expect(ownership.recognise(item("x"))).toEqual({ owner: attempt, marked: undefined, bearsRun: false });
});

test("others' items are nobody's of ours: another run, a token without the run, a name that only looks alike", () => {
  const { ownership } = owning("name");
  const { attempt } = ownership.register("create", "subject");
  const strangers = [
    item("a", { labels: ownershipLabels(OTHER_RUN, attempt.token) }),
    item("b", { name: ownershipName(OTHER_RUN, newToken()) }),
    item("c", { name: `x${ownershipName(RUN, attempt.token)}` }),
    item("d"),
  ];
  for (const stranger of strangers)
    expect(ownership.recognise(stranger), stranger.id).toEqual({
      owner: undefined,
      marked: undefined,
      bearsRun: false,
    });
  expect(ownership.live()).toEqual([]);
});

test("a stray bears the run's mark and belongs to no attempt: it is to be removed, and has no target", () => {
  const { ownership } = owning();
  const seen = ownership.recognise(item("stray", { labels: { [RUN_LABEL]: RUN } }));
  expect(seen).toEqual({ owner: undefined, marked: undefined, bearsRun: true });
  expect(ownership.live()).toEqual([{ id: "stray" }]);
  ownership.ended(id("stray"));
  expect(ownership.live()).toEqual([]);
});

test("the bystander goes last, after subjects and strays", () => {
  const { ownership } = owning();
  ownership.made(ownership.register("create", "bystander").attempt, id("by"));
  ownership.made(ownership.register("create", "subject").attempt, id("x"));
  ownership.recognise(item("stray", { labels: { [RUN_LABEL]: RUN } }));
  expect(idsOf(ownership)).toEqual(["x", "stray", "by"]);
});

test("an end that a list contradicts is none: it is to be removed again", () => {
  const { ownership } = owning();
  const { attempt } = ownership.register("create", "subject");
  ownership.made(attempt, id("x"));
  ownership.ended(id("x"));
  ownership.recognise(item("x", { state: "terminal" }));
  expect(ownership.hasEnded(id("x"))).toBe(true);
  ownership.recognise(item("x", { state: "stopping" }));
  expect(ownership.hasEnded(id("x"))).toBe(false);
  expect(idsOf(ownership)).toEqual(["x"]);
});

test("two ids of one attempt are both its own, each removed by itself", () => {
  const { ownership, journal } = owning();
  const { attempt } = ownership.register("create", "subject");
  const labels = ownershipLabels(RUN, attempt.token);
  ownership.made(attempt, id("x"));
  ownership.recognise(item("y", { labels }));
  ownership.recognise(item("y", { labels }));
  expect(idsOf(ownership)).toEqual(["x", "y"]);
  ownership.ended(id("x"));
  expect(idsOf(ownership)).toEqual(["y"]);
  expect(journal.filter(({ kind }) => kind === "made")).toHaveLength(2);
});

test("a journal tells the same: what lives, whose it is, and what a list shows of it", () => {
  const { ownership, journal } = owning();
  const first = ownership.register("create", "subject").attempt;
  const second = ownership.register("create", "subject").attempt;
  ownership.made(ownership.register("create", "bystander").attempt, id("by"));
  ownership.made(first, id("x"));
  ownership.made(second, id("y"));
  ownership.removing(id("x"));
  ownership.ended(id("x"));
  ownership.removing(id("y"));

  const restored = Ownership.restore(RUN, "labels", journal);
  expect(restored.live()).toEqual(ownership.live());
  // The reply to the second create's twin never came: its mark tells.
  restored.recognise(item("twin", { labels: ownershipLabels(RUN, second.token) }));
  expect(idsOf(restored)).toEqual(["y", "twin", "by"]);
});

test("a journal entry of an attempt that it does not hold is no attempt", () => {
  const restored = Ownership.restore(RUN, "labels", [{ kind: "made", attempt: newToken(), id: id("x") }]);
  expect(restored.live()).toEqual([]);
});
