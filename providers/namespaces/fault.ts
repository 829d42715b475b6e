/** Why a command never ran, as enter.pl tells it. */
import { constants } from "node:os";
import { ProviderError } from "../../contract/errors.ts";
import { type Host, stateOf } from "./provider.ts";

const STAGES = ["gone", "join", "pipe", "cwd", "exec"] as const;
export type Stage = (typeof STAGES)[number];

export const isStage = (word: string): word is Stage => STAGES.some((stage) => stage === word);

/** All of them definite. `number` is an errno, 0 where there is none. */
export function faultError(host: Host, id: string, stage: Stage, number: number): ProviderError {
  switch (stage) {
    case "gone":
      return goneError(host, id);
    case "cwd":
      if (number === constants.errno.ENOENT) return new ProviderError("not-found", "command.cwd does not exist");
      if (number === constants.errno.EACCES)
        return new ProviderError("permission-denied", "command.cwd is closed to it");
      return new ProviderError("invalid-argument", "command.cwd is not a folder");
    case "exec":
      return new ProviderError("invalid-argument", "arguments and environment are larger than the kernel takes");
    case "join":
    case "pipe":
      return new ProviderError("internal", `the sandbox could not be entered: errno ${number}`, { definite: true });
  }
}

/** The helper found no living sandbox, or the kernel had no room for one more process in it. */
function goneError(host: Host, id: string): ProviderError {
  const record = host.records.read(id);
  if (record === undefined || stateOf(host, record).state !== "running") {
    return new ProviderError("not-found", `sandbox ${id} has ended`);
  }
  return new ProviderError("unavailable", "no process could be started in the sandbox", { definite: true });
}
