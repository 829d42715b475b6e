import type { Scenario } from "../../../engine/scenario.ts";
import { exited } from "../../exits.ts";

const CHECK = "files.visible-both-ways";
const bytes = (text: string): Uint8Array => Buffer.from(text, "utf8");

/** Writes on one side, reads on the other, with changes that caches by length or by name miss. */
export const bothWays: Scenario = {
  id: CHECK,
  needs: "files",
  feeds: [CHECK],
  async run(lab) {
    const sandbox = await lab.sandbox();
    const path = `${lab.description.guest.workdir}/shared`;
    const write = (name: string, text: string) =>
      lab.must(sandbox.write(path, bytes(text), { probe: `${CHECK}/${name}` }));
    const inside = (name: string, script: string, stdout: string) =>
      lab.must(
        sandbox.exec(
          ["sh", "-c", script, path],
          { expect: { exit: exited(0), stdout } },
          { probe: `${CHECK}/${name}` },
        ),
      );
    const outside = (name: string, file: string, text: string) =>
      sandbox.read(file, bytes(text), { probe: `${CHECK}/${name}` });

    await write("write-first", "first");
    await inside("inside-first", 'cat "$0"', "first");
    await write("write-same-length", "again");
    await inside("inside-same-length", 'cat "$0"', "again");
    await outside("outside-first", path, "again");
    await inside("inside-change", 'printf third >"$0"; cat "$0"', "third");
    await outside("outside-same-length", path, "third");
    await inside("inside-shrink", 'printf x >"$0"; cat "$0"', "x");
    await outside("outside-shrink", path, "x");
    await inside("inside-rename", 'mv "$0" "$0.moved"; cat "$0.moved"', "x");
    await outside("outside-renamed", `${path}.moved`, "x");
    await sandbox.read(path, undefined, { probe: `${CHECK}/gone-outside` });
    await sandbox.destroy();
  },
};
