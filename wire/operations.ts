/** From a method of the wire to the member of the adapter that answers it. */
import type { Adapter } from "../contract/port.ts";
import type { ServedCall } from "./served-call.ts";

type Member = (...args: unknown[]) => Promise<unknown>;
type Operation = (params: object, served: ServedCall) => Promise<unknown>;

/** What a member takes, where it is not (params, call). */
const ARGUMENTS: Readonly<Record<string, (params: object, served: ServedCall) => readonly unknown[]>> = {
  describe: () => [],
  check: (_, served) => [served.call],
  exec: (params, served) => [params, served.streams, served.call],
  "files.write": (params, served) => [params, served.content, served.call],
  "files.read": (params, served) => [params, (chunk: Uint8Array) => served.output("data", chunk), served.call],
  "inventory.native": (_, served) => [served.call],
};

/** `files.stat` is member `stat` of `adapter.files`. Undefined where the adapter has no such member: it is not declared. */
export function operation(adapter: Adapter, method: string): Operation | undefined {
  const [group = "", name] = method.split(".");
  const members = adapter as unknown as Record<string, unknown>;
  const owner = name === undefined ? members : (members[group] as Record<string, unknown> | undefined);
  const member = owner?.[name ?? group];
  if (typeof member !== "function") return undefined;
  const argumentsOf = ARGUMENTS[method] ?? ((params, served) => [params, served.call]);
  return async (params, served) => (member as Member).apply(owner, [...argumentsOf(params, served)]);
}

/** Methods whose call takes `input` notifications. */
export function takesInput(method: string, params: Readonly<Record<string, unknown>>): boolean {
  const command = params["command"] as { stdin?: unknown } | undefined | null;
  return method === "files.write" || (method === "exec" && command?.stdin === true);
}
