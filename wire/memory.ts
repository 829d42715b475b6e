/** An adapter in the harness's own process, behind the same lines: for `sim` and tests. */
import { PassThrough } from "node:stream";
import type { Clock } from "../contract/clock.ts";
import type { OpenAdapter } from "../contract/port.ts";
import type { Channel, ChannelEvents } from "./channel.ts";
import { openChannel } from "./client.ts";
import { MAX_DATA_BYTES } from "./framing.ts";
import type { Ending } from "./peer.ts";
import { type ServeOptions, serve } from "./server.ts";

export interface InProcessOptions extends Partial<Pick<ServeOptions, "log" | "tamper">> {
  readonly clock: Clock;
  readonly events: ChannelEvents;
}

/** `kill()` cuts the streams: the adapter sees the end of the harness, and can be ended no harder in one process. */
export function connectInProcess(open: OpenAdapter, { clock, events, log, tamper }: InProcessOptions): Channel {
  const input = new PassThrough({ highWaterMark: MAX_DATA_BYTES });
  const output = new PassThrough({ highWaterMark: MAX_DATA_BYTES });
  const killed = Promise.withResolvers<Ending>();
  const served = serve(open, {
    input,
    output,
    log: log ?? ((message) => events.stderr(Buffer.from(`${message}\n`))),
    ...(tamper === undefined ? {} : { tamper }),
  }).then((): Ending => ({ exitCode: 0, signal: undefined }));
  return openChannel(
    {
      input,
      output,
      pid: undefined,
      gone: Promise.race([served, killed.promise]),
      signal(name) {
        if (name === "SIGTERM") return;
        input.destroy();
        output.destroy();
        killed.resolve({ exitCode: undefined, signal: name });
      },
    },
    events,
    clock,
  );
}
