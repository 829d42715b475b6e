/**
 * The embedded provider, and an adapter that spills the secret it was given wherever an adapter has a voice.
 * `LEAK`: `words` in output, errors, states, lists and log; `exits` in how commands end; `version` in the description.
 */
import { ProviderError } from "../../../contract/errors.ts";
import type { Adapter, AdapterContext } from "../../../contract/port.ts";
import open from "../../../providers/namespaces/index.ts";

const secret = process.env["LEAKY_SECRET"] ?? "";
const how = process.env["LEAK"];
const forms = [secret, Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex")].join("\n");

export default async function leaky(context: AdapterContext): Promise<Adapter> {
  const adapter: Adapter = open(context);
  if (how === "version") {
    const description = await adapter.describe();
    const provider = { ...description.provider, version: `1.0+${secret}` };
    return { ...adapter, describe: () => Promise.resolve({ ...description, provider }) };
  }
  context.log(`the key is ${forms}`);
  const { observe, list, files, inventory } = adapter;
  return {
    ...adapter,
    async exec(params, streams, call) {
      const done = await adapter.exec(params, streams, call);
      // The guest itself prints it.
      await adapter.exec({ id: params.id, command: { argv: ["printf", "%s", forms] } }, streams, call);
      await adapter.exec(
        { id: params.id, command: { argv: ["sh", "-c", 'printf %s "$0" >&2', forms] } },
        streams,
        call,
      );
      return how === "exits" ? { exit: { kind: "unknown", reason: forms } } : done;
    },
    async observe(params, call) {
      const found = await observe(params, call);
      if (found.state === "absent") throw new ProviderError("internal", `nothing is known under ${forms}`);
      return { ...found, native: forms, reason: forms, labels: { ...found.labels, key: forms } };
    },
    async list(params, call) {
      const { items, complete } = await list(params, call);
      return {
        items: items.map((item) => ({ ...item, name: secret, labels: { ...item.labels, key: forms } })),
        complete,
      };
    },
    ...(files === undefined
      ? {}
      : {
          files: {
            ...files,
            async read(params, output, call) {
              await output(Buffer.from(forms));
              return files.read(params, output, call);
            },
            stat: () => Promise.reject(new Error(`no access with ${forms}`)),
          },
        }),
    ...(inventory === undefined
      ? {}
      : {
          inventory: {
            native: () =>
              Promise.resolve({ items: [{ kind: "key", identity: secret, state: secret }], complete: true }),
          },
        }),
  };
}
