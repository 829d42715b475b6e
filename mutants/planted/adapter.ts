import { ProviderError } from "../../contract/errors.ts";
import type { Mutant } from "../mutant.ts";

const text = (line: Uint8Array): string => Buffer.from(line).toString("utf8");
const bytes = (line: string): Uint8Array => Buffer.from(line, "utf8");
const isReply = (line: string): boolean => line.includes('"result"') && !line.includes('"contract"');

export const adapterMutants: readonly Mutant[] = [
  {
    id: "adapter-replies-twice",
    fault: "every reply is sent twice",
    expected: ["adapter.reply-valid"],
    also: [],
    faultRows: [],
    tamper: (line) => (isReply(text(line)) ? [line, line] : [line]),
  },
  {
    id: "adapter-observation-without-state",
    fault: "the state is missing from observations",
    expected: ["adapter.reply-valid"],
    also: ["lifecycle.create-visible", "lifecycle.destroy-ends", "lifecycle.bystander-safe"],
    faultRows: [],
    tamper: (line) => [bytes(text(line).replace(/"state":"running","native"/, '"native"'))],
  },
  {
    id: "adapter-prints-to-stdout",
    fault: "a debug line goes to stdout before each reply",
    expected: ["adapter.stdout-clean"],
    also: [],
    faultRows: [],
    tamper: (line) => (isReply(text(line)) ? [bytes("debug: about to reply"), line] : [line]),
  },
  {
    id: "adapter-refuses-after-the-effect",
    fault: "an option that it does not know is refused after the sandbox was made",
    expected: ["adapter.definite-honest"],
    also: ["lifecycle.no-phantom"],
    faultRows: ["LC-02"],
    plant: (honest) => ({
      ...honest,
      create: async (params, call) => {
        const { ttlSeconds, ...spec } = params.spec;
        const made = await honest.create({ ...params, spec }, call);
        if (ttlSeconds !== undefined) throw new ProviderError("unsupported", "no ttl here");
        return made;
      },
    }),
  },
];
