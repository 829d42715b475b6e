/** A harness that ends its channel in the way it is told, and then has nothing more to do. */
import { PATIENT, startToy } from "../support.ts";

const { channel } = startToy();
await channel.call("check", {}, PATIENT).outcome;
channel.call("exec", { id: "s1", command: { argv: ["never"] } }, PATIENT);
await (process.argv[2] === "close" ? channel.close() : channel.kill());
