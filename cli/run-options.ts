/** The flags of `prove` and `run`; apart from their reading, so that help loads nothing else. */
import type { OptionEntry } from "./commands.ts";

export const RUN_OPTIONS: readonly OptionEntry[] = [
  { flags: "--adapter", description: "the adapter is the program after `--`, last on the line" },
  { flags: "--option <k=v>", description: "an option of the adapter", repeatable: true },
  {
    flags: "--pass-env <NAME[:public]>",
    description: "pass a variable to the adapter; its value is a secret unless public",
    repeatable: true,
  },
  { flags: "--skip <glob>", description: "switch checks off; shown as disabled, never green", repeatable: true },
  { flags: "--seed <n>", description: "seed of schedules and content (default: drawn, and printed)" },
  { flags: "--jobs <n>", description: "scenarios at once, where they bear company (default: 2)" },
  { flags: "--budget <list>", description: "time=10m,sandboxes=50: no scenario starts beyond it" },
  { flags: "--challenge <nonce>", description: "a maintainer's nonce, bound into the history" },
  { flags: "--out <dir>", description: "folder of the evidence (default: sandproof-runs/<runId>)" },
  { flags: "--allow-blocked", description: "exit 0 where nothing could be tried; printed in the evidence" },
  {
    flags: "--allow-unknown <glob>",
    description: "exit 0 although these checks or residue planes are unknown; printed in the evidence",
    repeatable: true,
  },
  { flags: "--json", description: "print the results as JSON" },
];

export const SELECT_OPTIONS: readonly OptionEntry[] = [
  { flags: "--profile <name>", description: "prove, core or full (default: core)", choices: ["prove", "core", "full"] },
  { flags: "--suite <area>", description: "only the checks of this area", repeatable: true },
  { flags: "--check <glob>", description: "only the checks whose id matches", repeatable: true },
];
