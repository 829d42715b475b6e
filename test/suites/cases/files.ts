import type { ErrorCode } from "../../../schemas/core.ts";
import { failed, type History, history, lost, refused } from "../history.ts";
import type { Cases } from "./case.ts";

const TRIP = "files.round-trip";
const BOTH = "files.visible-both-ways";
const zero = { kind: "exited", code: 0 } as const;

/** Into the guest, digested and copied there, out again. */
function trip({ stored = "content", out = "content" } = {}): History {
  const expect = { exit: zero, stdout: "digest of content" };
  return history()
    .create("s1")
    .write("s1", "content", { probe: `${TRIP}/write-a` })
    .exec("s1", { probe: `${TRIP}/inside-a`, expect, stdout: `digest of ${stored}` })
    .exec("s1", { probe: `${TRIP}/copy-a`, expect: { exit: zero } })
    .read("s1", "content", out, { probe: `${TRIP}/read-a` });
}

const inside = (stdout: string) =>
  history()
    .create("s1")
    .exec("s1", { probe: `${BOTH}/inside-change`, expect: { exit: zero, stdout: "third" }, stdout });
const gone = (code?: ErrorCode) =>
  inside("third").read("s1", undefined, "x", {
    probe: `${BOTH}/gone-outside`,
    ...(code === undefined ? {} : { ends: refused(code) }),
  });

export const filesCases = {
  [TRIP]: {
    good: { "every byte kept": trip(), twice: trip().write("s1", "", { probe: `${TRIP}/write-empty` }) },
    bad: {
      "stored otherwise": trip({ stored: "another" }),
      "read otherwise, at the same length": trip({ out: "CONTENT" }),
      "cut on the way out": trip({ out: "cont" }),
      "acknowledged short": trip().write("s1", "content", { probe: `${TRIP}/write-b`, bytes: 3 }),
      "delivered less than the reply says": trip().read("s1", "content", "content", {
        probe: `${TRIP}/read-b`,
        bytes: 9,
      }),
      refused: trip().write("s1", "content", { probe: `${TRIP}/write-b`, ends: refused("permission-denied") }),
    },
    unknown: {
      "too-few": { "three of four": history().write("s1", "x", { probe: `${TRIP}/write-a` }) },
      "adapter-fault": {
        "the adapter died": trip().read("s1", "c", "c", { probe: `${TRIP}/read-b`, ends: lost("died") }),
      },
      indeterminate: {
        "a write that nobody answered for": trip().write("s1", "c", {
          probe: `${TRIP}/write-b`,
          ends: failed("unavailable"),
        }),
        "a read beyond its deadline": trip().read("s1", "c", "c", {
          probe: `${TRIP}/read-b`,
          ends: { ...lost("deadline"), type: "fail" },
        }),
      },
    },
  },
  [BOTH]: {
    good: { "seen inside": inside("third"), "and gone under its old name": gone("not-found") },
    bad: {
      "yesterday's content": inside("again"),
      "the old name still reads": gone(),
      "the old name is another error": gone("permission-denied"),
    },
    unknown: {
      "too-few": { "nothing was looked at": history().create("s1") },
      indeterminate: {
        "never answered": inside("third").read("s1", undefined, "", { probe: `${BOTH}/gone-outside`, ends: "never" }),
      },
      "adapter-fault": {
        "the adapter died": inside("third").read("s1", undefined, "", {
          probe: `${BOTH}/gone-outside`,
          ends: { ...lost("died"), type: "fail" },
        }),
      },
    },
  },
} satisfies Record<string, Cases>;
