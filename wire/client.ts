/** The harness's end of the wire: calls, and every way they can end. Works on any peer; nothing here knows a process. */
import type { Readable } from "node:stream";
import type { Clock } from "../contract/clock.ts";
import type { AdapterFault } from "../schemas/event.ts";
import type { Method } from "../schemas/messages.ts";
import type { CallOptions, Channel, ChannelEvents, Outcome, Pending } from "./channel.ts";
import { encodeMessage, MAX_LINE_BYTES, splitLines } from "./framing.ts";
import { sendInput } from "./input.ts";
import { ENDING, type Ending, type Peer } from "./peer.ts";
import { readLine, readResult, typedError, untypedError } from "./replies.ts";
import { fairWriter } from "./writer.ts";

/** Faults told of one adapter; the next million would say nothing new and fill the history. */
const MAX_FAULTS = 1_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

interface Entry {
  readonly method: string;
  readonly options: CallOptions;
  readonly outcome: PromiseWithResolvers<Outcome>;
  readonly late: PromiseWithResolvers<Outcome>;
  readonly sent: PromiseWithResolvers<number>;
  state: "open" | "expired";
  written: boolean;
  cancelled: boolean;
  timer: NodeJS.Timeout | undefined;
  /** Aborts when the call takes no more input. */
  readonly over: AbortController;
}

export function openChannel(peer: Peer, events: ChannelEvents, clock: Clock): Channel {
  const writer = fairWriter(peer.input);
  // Calls without a reply. Ids only grow: one that is below `nextCall` and not here was answered.
  const table = new Map<number, Entry>();
  let nextCall = 1;
  let faults = 0;
  let state: "open" | "closing" | "ended" = "open";
  let gone = false;
  let expected = false;
  let startError: Error | undefined;
  const ended = Promise.withResolvers<void>();

  const fault = (kind: AdapterFault, call?: number) => {
    if (faults < MAX_FAULTS) events.fault(kind, call);
    faults += 1;
  };

  // ── calls ──────────────────────────────────────────────────────────────────────────────────────────────────────

  const settle = (call: number, entry: Entry, outcome: Outcome) => {
    clearTimeout(entry.timer);
    entry.over.abort();
    entry.sent.resolve(clock.now());
    entry.outcome.resolve(outcome);
    // What was never sent must not have an effect later, when nobody waits for it.
    if (!entry.written || outcome.kind !== "deadline") writer.drop(call);
  };

  const cancel = (call: number, entry: Entry) => {
    if (entry.cancelled || table.get(call) !== entry) return;
    entry.cancelled = true;
    entry.over.abort();
    void writer.write(call, encodeMessage({ method: "cancel", params: { call } }));
  };

  const expire = (call: number, entry: Entry) => {
    cancel(call, entry);
    entry.timer = setTimeout(() => {
      entry.state = "expired";
      settle(call, entry, { kind: "deadline" });
      if (!entry.written) table.delete(call);
    }, timerMs(entry.options.graceMs));
  };

  const feed = async (call: number, entry: Entry, input: AsyncIterable<Uint8Array>) => {
    const send = (params: object) =>
      writer.write(call, encodeMessage({ method: "input", params: { call, ...params } }));
    try {
      await sendInput(input, send, entry.over.signal);
    } catch (error) {
      entry.options.onInputError?.(error);
      cancel(call, entry);
    }
  };

  const call = <M extends Method>(method: M, params: object, options: CallOptions): Pending<M> => {
    const id = nextCall;
    const line = encodeMessage({ id, method, params: { ...params, deadlineMs: options.deadlineMs } });
    if (line.length > MAX_LINE_BYTES) throw new RangeError(`a request of ${line.length} bytes does not fit one line`);
    nextCall += 1;
    const entry: Entry = {
      method,
      options,
      outcome: Promise.withResolvers(),
      late: Promise.withResolvers(),
      sent: Promise.withResolvers(),
      state: "open",
      written: false,
      cancelled: false,
      timer: undefined,
      over: new AbortController(),
    };
    if (state === "open") {
      table.set(id, entry);
      entry.timer = setTimeout(() => expire(id, entry), timerMs(options.deadlineMs));
      void writer.write(id, line, () => {
        entry.written = true;
        entry.sent.resolve(clock.now());
      });
      if (options.input !== undefined) void feed(id, entry, options.input);
    } else settle(id, entry, { kind: "died" });
    return {
      call: id,
      sent: entry.sent.promise,
      outcome: entry.outcome.promise as Promise<Outcome<M>>,
      late: entry.late.promise as Promise<Outcome<M>>,
      cancel: () => cancel(id, entry),
    };
  };

  // ── lines from the adapter ─────────────────────────────────────────────────────────────────────────────────────

  const answer = (call: number | undefined, outcomeOf: (entry: Entry) => Outcome) => {
    const entry = call === undefined ? undefined : table.get(call);
    if (call === undefined || entry === undefined) {
      fault(call !== undefined && call < nextCall ? "reply-twice" : "reply-unknown-call", call);
      return;
    }
    table.delete(call);
    const outcome = outcomeOf(entry);
    if (outcome.kind === "malformed") fault("reply-malformed", call);
    if (entry.state === "expired") entry.late.resolve(outcome);
    else settle(call, entry, outcome);
  };

  const about = (call: number, give: (options: CallOptions) => void) => {
    const entry = table.get(call);
    // After the deadline the harness has no room for output; it is no fault of the adapter.
    if (entry !== undefined) return entry.state === "open" && give(entry.options);
    fault(call < nextCall ? "output-after-reply" : "output-malformed", call);
  };

  const onLine = (line: Uint8Array) => {
    const incoming = readLine(line);
    switch (incoming.kind) {
      case "reply": {
        const { call, reply } = incoming;
        return answer(call, (entry) => {
          if ("result" in reply) return readResult(entry.method, reply.result);
          const error = typedError(reply.error);
          if (error === undefined) fault("error-untyped", call);
          return { kind: "error", error: error ?? untypedError(reply.error.message) };
        });
      }
      case "bad-reply": {
        const { call, problem } = incoming;
        if (call !== undefined && table.has(call)) return answer(call, () => ({ kind: "malformed", problem }));
        return fault("reply-malformed", call);
      }
      case "output":
        return about(incoming.call, (options) => options.onOutput?.(incoming.stream, incoming.data));
      case "execution":
        return about(incoming.call, (options) => options.onExecution?.(incoming.execution));
      case "bad-output":
        return fault("output-malformed", incoming.call);
      case "secret":
        return events.secret(incoming.value);
      case "not-message":
        return fault("stdout-not-message");
    }
  };

  // ── the end ────────────────────────────────────────────────────────────────────────────────────────────────────

  let broken: NodeJS.Timeout | undefined;
  const outputOver = whenOver(peer.output);
  const logOver = peer.log && whenOver(peer.log);
  /** Without both streams no call can be made or answered: the adapter ends now, or is ended. */
  const breakDown = () => {
    if (state === "ended") return;
    broken ??= setTimeout(() => peer.signal("SIGKILL"), ENDING.brokenMs);
  };

  const finish = async (how: Ending) => {
    gone = true;
    if (how.startError !== undefined) startError = how.startError;
    const drained = Promise.withResolvers<void>();
    const bound = setTimeout(drained.resolve, ENDING.drainMs);
    await Promise.race([Promise.all([outputOver, logOver]), drained.promise]);
    clearTimeout(bound);
    clearTimeout(broken);
    // A line cut off by a signal is nobody's fault.
    if (how.signal === undefined && !expected) lines.end();
    state = "ended";
    writer.close();
    for (const stream of [peer.input, peer.output, peer.log]) stream?.destroy();
    for (const [call, entry] of table) if (entry.state === "open") settle(call, entry, { kind: "died" });
    table.clear();
    events.ended({ expected, exitCode: how.exitCode, signal: how.signal });
    ended.resolve();
  };

  const lines = splitLines(onLine, () => fault("line-too-long"));
  peer.output.on("data", (chunk: Uint8Array) => state !== "ended" && lines.push(chunk));
  void outputOver.then(breakDown);
  // EPIPE: this is how an adapter's death looks from here, or one that does not want to be asked any more.
  peer.input.on("error", breakDown);
  peer.log?.on("data", (chunk: Uint8Array) => events.stderr(chunk));
  void peer.gone.then(finish);

  const kill = async () => {
    expected ||= !gone;
    peer.signal("SIGKILL");
    await ended.promise;
  };

  let closing: Promise<void> | undefined;
  const shutDown = async () => {
    if (state === "ended") return;
    expected ||= !gone;
    call("shutdown", {}, { deadlineMs: ENDING.politeMs, graceMs: 0 });
    state = "closing";
    void writer.end();
    const terminate = setTimeout(() => peer.signal("SIGTERM"), ENDING.politeMs);
    const destroy = setTimeout(() => peer.signal("SIGKILL"), 2 * ENDING.politeMs);
    await ended.promise;
    clearTimeout(terminate);
    clearTimeout(destroy);
  };

  return {
    call,
    close: () => (closing ??= shutDown()),
    kill,
    get pid() {
      return state === "ended" ? undefined : peer.pid;
    },
    get startError() {
      return startError;
    },
  };
}

const timerMs = (ms: number): number => Math.min(Math.max(0, ms), MAX_TIMER_MS);

/** Resolves when nothing more can be read from `stream`, whatever the reason. */
const whenOver = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    for (const event of ["end", "close", "error"]) stream.once(event, () => resolve());
  });
