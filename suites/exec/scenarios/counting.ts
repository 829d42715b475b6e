import type { Sandbox } from "../../../engine/sandbox.ts";
import type { Scenario } from "../../../engine/scenario.ts";

const APPENDS = 5;

/** Commands that leave a line each: acknowledged ones, one whose reply is lost, one under which the adapter dies. */
export const counting: Scenario = {
  id: "exec.counting",
  alone: true,
  feeds: ["exec.at-most-once", "exec.exactly-once"],
  async run(lab) {
    const answered = await lab.sandbox();
    for (let n = 0; n < APPENDS; n += 1) await append(answered, "exec.exactly-once");
    await count(answered, "exec.exactly-once");
    await answered.destroy();

    const unanswered = await lab.sandbox();
    const at = { probe: "exec.at-most-once/append" };
    await unanswered.exec(APPEND, {}, { ...at, fault: { kind: "drop-reply" } });
    await unanswered.exec(
      ["sh", "-c", "echo ran >>count; sleep 1"],
      {},
      { ...at, fault: { kind: "kill-adapter", afterMs: WHILE_IT_RUNS_MS } },
    );
    await lab.settle();
    await count(unanswered, "exec.at-most-once");
    await unanswered.destroy();
  },
};

const WHILE_IT_RUNS_MS = 300;
const APPEND = ["sh", "-c", "echo ran >>count"] as const;

const append = (sandbox: Sandbox, check: string) => sandbox.exec(APPEND, {}, { probe: `${check}/append` });
const count = (sandbox: Sandbox, check: string) =>
  sandbox.exec(["sh", "-c", "touch count; wc -l <count"], {}, { probe: `${check}/count` });
