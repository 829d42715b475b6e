import { expect, test } from "vitest";
import { Capture } from "../../engine/capture.ts";
import { Digests } from "../../history/digests.ts";

const digests = new Digests(new Uint8Array(32).fill(3));
const bytes = (text: string) => Buffer.from(text, "utf8");

test("the digest covers every byte, however it came in pieces", () => {
  const capture = new Capture(digests);
  for (const piece of ["wh", "", "ole"]) capture.add(bytes(piece));
  expect(capture.end()).toEqual(digests.seenOf("whole"));
  expect(capture.text()).toBe("whole");
});

test("text is bounded, the digest and its length are not", () => {
  const capture = new Capture(digests);
  const block = Buffer.alloc(700 * 1024, "x");
  capture.add(block);
  capture.add(block);
  expect(capture.text().length).toBe(1024 * 1024);
  expect(capture.end()).toEqual(digests.seenOf(Buffer.concat([block, block])));
});

test("canaries are counted, also astride two pieces, in the order asked", () => {
  const capture = new Capture(digests, ["canary", "other", "twice"]);
  for (const piece of ["x can", "ary twice twi", "ce"]) capture.add(bytes(piece));
  expect(capture.end().found).toEqual([1, 0, 2]);
});
