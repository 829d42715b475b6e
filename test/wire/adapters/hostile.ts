/** Adapters that do not keep the protocol, by name: `node hostile.ts <how>`. */
import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { createInterface } from "node:readline";

type Message = { readonly id?: number; readonly method: string; readonly params: { readonly call?: number } };

const MiB = 1024 * 1024;
const say = (text: string | Uint8Array) => process.stdout.write(text);
const send = (message: object) => say(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const done = (id: number | undefined) => send({ id, result: {} });
const output = (call: number | undefined, data: string, stream = "stdout") =>
  send({ method: "output", params: { call, stream, data } });

function onMessages(handle: (message: Message) => void) {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line) as Message;
    if (message.method === "shutdown") process.exit(0);
    handle(message);
  });
}
/** Only requests, the way that a careless adapter sees the world. */
const onRequests = (handle: (id: number, message: Message) => void) =>
  onMessages((message) => message.id !== undefined && handle(message.id, message));

const later: Message[] = [];

const HOW: Record<string, () => void> = {
  garbage: () =>
    onRequests((id) => {
      say("debug: got a call\n\n[1,2]\n17\n{}\n");
      send({ method: "hello", params: {} });
      send({ id: 1, method: "request", params: {} });
      done(id);
    }),
  "no-newline": () =>
    onRequests((id) => {
      for (let n = 0; n < 10; n += 1) say(new Uint8Array(MiB).fill(120));
      say("\n");
      done(id);
    }),
  "invalid-utf8": () =>
    onRequests((id) => {
      say(Buffer.concat([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"name":"`), Uint8Array.of(0xff, 0xfe)]));
      say('"}}\n');
      done(id);
    }),
  twice: () =>
    onRequests((id) => {
      done(id);
      done(id);
    }),
  "unknown-call": () =>
    onRequests((id) => {
      done(id + 1_000);
      send({ id: null, error: { code: -32700, message: "what?" } });
      done(id);
    }),
  "missing-id": () =>
    onRequests((id) => {
      send({ result: {} });
      done(id);
    }),
  "any-order": () =>
    onRequests((_, message) => {
      later.push(message);
      if (later.length < 3) return;
      for (const { id } of later.toReversed()) send({ id, result: { state: "running", native: `reply ${id}` } });
    }),
  "bad-output": () =>
    onRequests((id) => {
      output(id, "%%%");
      output(id, "QQ");
      output(id, Buffer.alloc(64 * 1024 + 1).toString("base64"));
      output(id, "QQ==", "stdin");
      output(id + 1_000, "QQ==");
      output(id, Buffer.from("fine").toString("base64"));
      send({ id, result: { exit: { kind: "exited", code: 0 } } });
      output(id, "QQ==");
    }),
  "untyped-error": () => onRequests((id) => send({ id, error: { code: -32000, message: "it is full" } })),
  "both-result-and-error": () => onRequests((id) => send({ id, result: {}, error: { code: 1, message: "" } })),
  "ignores-cancel": () => onRequests(() => {}),
  "late-reply": () =>
    onMessages((message) => {
      if (message.method === "cancel")
        setTimeout(() => send({ id: message.params.call, result: { id: "made-late" } }), 200);
    }),
  "dies-mid-call": () => onRequests(() => process.exit(3)),
  "dies-mid-line": () =>
    onRequests((id) => say(`{"jsonrpc":"2.0","id":${id},"res`) && setTimeout(() => process.abort(), 50)),
  "stderr-flood": () =>
    onRequests((id) => {
      for (let n = 0; n < 20; n += 1) process.stderr.write("x".repeat(MiB));
      done(id);
    }),
  "closes-stdout": () =>
    onRequests(() => {
      closeSync(1);
      setInterval(() => {}, 1_000);
    }),
  "exits-at-once": () => process.exit(0),
  "never-reads": () => void setInterval(() => {}, 1_000),
  "never-ends": () => {
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1_000);
    createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line) as Message;
      if (method !== "shutdown") done(id);
    });
  },
  "child-holds-pipes": () =>
    onRequests((id) => {
      const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 20000)"], { stdio: "inherit" });
      child.on("spawn", () => {
        send({ id, result: { state: "running", native: String(child.pid) } });
        setTimeout(() => process.exit(0), 50);
      });
    }),
};

const how = process.argv[2] ?? "";
const act = HOW[how];
if (act === undefined) throw new Error(`no way ${how}`);
act();
