/** What the author of an adapter in TypeScript needs. Everything else in this package is private. */
export { ProviderError } from "./contract/errors.ts";
export { ATTEMPT_LABEL, BYSTANDER_LABEL, ownershipName, RUN_LABEL } from "./contract/ownership.ts";
export type { Adapter, AdapterContext, Call, ExecStreams, FilesPort, OpenAdapter } from "./contract/port.ts";
export type { ErrorCode, Exit, SandboxId, SandboxState, Token } from "./schemas/core.ts";
export type { Capabilities, Description } from "./schemas/description.ts";
export type { Command, ListItem, Method, Observation, Params, Policy, Result, Spec } from "./schemas/messages.ts";
