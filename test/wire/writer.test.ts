import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { fairWriter, URGENT } from "../../wire/writer.ts";

/** A stream that takes one line at a time, when it is told to. */
function slowStream() {
  const lines: string[] = [];
  let release = () => {};
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _, callback) {
      lines.push(chunk.toString().trimEnd());
      release = callback;
    },
  });
  const takeAll = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      release();
      await new Promise(setImmediate);
    }
  };
  return { stream, lines, takeAll };
}

const bytes = (text: string) => Buffer.from(text);

test("calls take turns, secrets overtake all", async () => {
  const { stream, lines, takeAll } = slowStream();
  const writer = fairWriter(stream);
  for (const line of ["a1", "a2", "a3"]) void writer.write(1, bytes(line));
  for (const line of ["b1", "b2"]) void writer.write(2, bytes(line));
  void writer.write(3, bytes("c1"));
  void writer.write(URGENT, bytes("secret"));
  await takeAll(8);
  expect(lines).toEqual(["a1", "secret", "a2", "b1", "c1", "a3", "b2"]);
});

test("a write resolves only when the stream has room again", async () => {
  const { stream, takeAll } = slowStream();
  const writer = fairWriter(stream);
  const done: boolean[] = [];
  void writer.write(1, bytes("one")).then((written) => done.push(written));
  await new Promise(setImmediate);
  expect(done).toEqual([]);
  await takeAll(1);
  expect(done).toEqual([true]);
});

test("dropped lines are never written, and `onWrite` runs only for those that are", async () => {
  const { stream, lines, takeAll } = slowStream();
  const writer = fairWriter(stream);
  const written: string[] = [];
  void writer.write(1, bytes("one"), () => written.push("one"));
  const dropped = writer.write(2, bytes("two"), () => written.push("two"));
  writer.drop(2);
  expect(await dropped).toBe(false);
  await takeAll(2);
  expect(lines).toEqual(["one"]);
  expect(written).toEqual(["one"]);
});

test("end flushes what is queued; later writes are refused", async () => {
  const { stream, lines, takeAll } = slowStream();
  const writer = fairWriter(stream);
  void writer.write(1, bytes("one"));
  void writer.write(2, bytes("two"));
  const ended = writer.end();
  expect(await writer.write(3, bytes("late"))).toBe(false);
  await takeAll(3);
  await ended;
  expect(lines).toEqual(["one", "two"]);
  expect(stream.writableFinished).toBe(true);
});

test("a stream that breaks fails every waiting write and throws nowhere", async () => {
  const { stream } = slowStream();
  const writer = fairWriter(stream);
  const writes = [writer.write(1, bytes("one")), writer.write(1, bytes("two")), writer.write(2, bytes("three"))];
  stream.destroy(new Error("EPIPE"));
  expect(await Promise.all(writes)).toEqual([false, false, false]);
  expect(await writer.write(1, bytes("four"))).toBe(false);
  await writer.end();
});
