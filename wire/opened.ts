/** An adapter is opened once, by the first call, with the options of `describe`; a failed opening may be tried again. */
import { isDeepStrictEqual } from "node:util";
import { ProviderError } from "../contract/errors.ts";
import type { Adapter, AdapterContext, OpenAdapter } from "../contract/port.ts";

type Options = Readonly<Record<string, string>>;

export interface OpenedAdapter {
  /** `options` only from `describe`; every other method takes the adapter as it is, or opens it without options. */
  open(options: Options | undefined): Promise<Adapter>;
  /** Closes what was opened, if anything was. */
  close(): Promise<void>;
}

export function openOnce(open: OpenAdapter, context: Omit<AdapterContext, "options">): OpenedAdapter {
  let opened: { readonly options: Options; readonly adapter: Promise<Adapter> } | undefined;
  return {
    async open(options) {
      if (opened !== undefined) {
        if (options !== undefined && !isDeepStrictEqual(options, opened.options))
          throw new ProviderError("invalid-argument", "the adapter is open with other options");
        return opened.adapter;
      }
      const given = options ?? {};
      const adapter = (async () => open({ ...context, options: given }))();
      opened = { options: given, adapter };
      try {
        return await adapter;
      } catch (error) {
        opened = undefined;
        throw error;
      }
    },
    async close() {
      if (opened !== undefined) await (await opened.adapter).close();
    },
  };
}
