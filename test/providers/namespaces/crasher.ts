/** A process of its own for crash.test.ts: makes, uses and destroys without end, until it is killed. */
import { call, openAdapter, token } from "./support.ts";

const adapter = await openAdapter();
process.stdout.write("ready\n");
for (;;) {
  const { id } = await adapter.create({ spec: { labels: { crash: "yes" } }, attempt: token }, call());
  await Promise.all([
    adapter.exec({ id, command: { script: "sleep 0.02 & echo x" } }, { output: async () => undefined }, call()),
    adapter.exec({ id, command: { argv: ["true"] } }, { output: async () => undefined }, call()),
  ]);
  await adapter.destroy({ id }, call());
}
