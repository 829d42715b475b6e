import type { Adapter, ExecStreams } from "../../contract/port.ts";
import type { Mutant } from "../mutant.ts";

type Exec = Adapter["exec"];
const withExec =
  (change: (honest: Exec) => Exec): NonNullable<Mutant["plant"]> =>
  (honest) => ({ ...honest, exec: change(honest.exec.bind(honest)) });
const silent = (streams: ExecStreams): ExecStreams => ({ ...streams, output: () => Promise.resolve() });

export const execMutants: readonly Mutant[] = [
  {
    id: "exec-always-zero",
    fault: "every exit code is 0",
    expected: ["exec.exit-code"],
    also: [],
    faultRows: ["EX-01"],
    plant: withExec((exec) => async (params, streams, call) => {
      const { exit } = await exec(params, streams, call);
      return { exit: exit.kind === "exited" ? { kind: "exited", code: 0 } : exit };
    }),
  },
  {
    id: "exec-invents-success",
    fault: "a stream that ends without a status is told as exit code 0",
    expected: ["exec.no-forged-exit"],
    also: ["lifecycle.unknown-id-definite"],
    faultRows: ["EX-02"],
    plant: withExec((exec) => async (params, streams, call) => {
      try {
        const { exit } = await exec(params, streams, call);
        return { exit: exit.kind === "signaled" || exit.kind === "unknown" ? { kind: "exited", code: 0 } : exit };
      } catch (error) {
        if (call.signal.aborted) throw error;
        return { exit: { kind: "exited", code: 0 } };
      }
    }),
  },
  {
    id: "exec-merges-streams",
    fault: "stderr comes on stdout",
    expected: ["exec.streams-separate"],
    also: ["exec.timeout-prompt"],
    faultRows: ["EX-38"],
    plant: withExec(
      (exec) => (params, streams, call) =>
        exec(params, { ...streams, output: (_stream, chunk) => streams.output("stdout", chunk) }, call),
    ),
  },
  {
    id: "exec-drops-stderr",
    fault: "stderr is lost",
    expected: ["exec.streams-separate"],
    also: ["exec.timeout-prompt"],
    faultRows: ["EX-38"],
    plant: withExec(
      (exec) => (params, streams, call) =>
        exec(
          params,
          {
            ...streams,
            output: (stream, chunk) => (stream === "stderr" ? Promise.resolve() : streams.output(stream, chunk)),
          },
          call,
        ),
    ),
  },
  {
    id: "exec-joins-arguments",
    fault: "arguments are joined by spaces and split again",
    expected: ["exec.argv-exact"],
    also: [],
    faultRows: [],
    plant: withExec((exec) => (params, streams, call) => {
      const { command } = params;
      if (!("argv" in command) || command.argv[0] !== "sh") return exec(params, streams, call);
      const [program = "", flag = "", script = "", ...rest] = command.argv;
      const joined = rest
        .join(" ")
        .split(" ")
        .filter((word) => word !== "");
      return exec({ ...params, command: { ...command, argv: [program, flag, script, ...joined] } }, streams, call);
    }),
  },
  {
    id: "exec-ignores-timeout",
    fault: "the timeout of a command is ignored",
    expected: ["exec.timeout-prompt"],
    also: [],
    faultRows: ["EX-12"],
    plant: withExec((exec) => ({ id, command }, streams, call) => {
      const { timeoutMs: _ignored, ...rest } = command;
      return exec({ id, command: rest }, streams, call);
    }),
  },
  {
    id: "exec-drops-output-at-timeout",
    fault: "what was printed before a timeout is lost",
    expected: ["exec.timeout-prompt"],
    also: [],
    faultRows: ["EX-14"],
    plant: withExec(
      (exec) => (params, streams, call) =>
        exec(params, params.command.timeoutMs === undefined ? streams : silent(streams), call),
    ),
  },
  {
    id: "exec-retries-inside",
    fault: "a command that appends is sent twice",
    expected: ["exec.at-most-once"],
    also: [],
    faultRows: ["CL-01"],
    plant: withExec((exec) => async (params, streams, call) => {
      if (appends(params)) await exec(params, silent(streams), call);
      return exec(params, streams, call);
    }),
  },
  {
    id: "exec-acknowledges-without-running",
    fault: "now and then a command is acknowledged and never run",
    expected: ["exec.exactly-once"],
    also: [],
    faultRows: [],
    plant: withExec((exec) => {
      let appended = 0;
      return (params, streams, call) => {
        if (appends(params) && ++appended % 3 === 0) return Promise.resolve({ exit: { kind: "exited", code: 0 } });
        return exec(params, streams, call);
      };
    }),
  },
];

const appends = ({ command }: Parameters<Exec>[0]): boolean =>
  ("argv" in command ? command.argv : [command.script]).some((word) => word.includes(">>count"));
