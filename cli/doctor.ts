/** Asks a provider's adapter whether this machine can run it, and says what is missing and how to fix it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { startClock } from "../contract/clock.ts";
import { adapterEnvironment, adapterFolders } from "../engine/session.ts";
import { newRunId } from "../history/tokens.ts";
import { escapeTerminal } from "../redaction/escape.ts";
import type { Method, Result } from "../schemas/messages.ts";
import type { Channel, Outcome } from "../wire/channel.ts";
import { spawnAdapter } from "../wire/process.ts";
import type { RunCommand } from "./commands.ts";
import { AdapterUnusable } from "./describe.ts";
import { EXIT } from "./exit.ts";
import { requireAdapter, serveArgv } from "./providers.ts";

/** Milliseconds for each of the two calls, and for a reply after its cancel. */
const WAIT = { deadlineMs: 30_000, graceMs: 2_000 } as const;
const LOG_TAIL = 2_000;

interface Report {
  readonly provider: string;
  readonly version: string;
  readonly boundary: string;
  readonly ready: boolean;
  readonly problems: Result<"check">["problems"];
}

function okOf<M extends Method>(method: M, outcome: Outcome<M>): Result<M> {
  switch (outcome.kind) {
    case "ok":
      return outcome.result;
    case "error":
      throw new AdapterUnusable(`The adapter answered ${method} with ${outcome.error.code}: ${outcome.error.message}`);
    case "malformed":
      throw new AdapterUnusable(`The adapter's answer to ${method} is malformed: ${outcome.problem}`);
    case "deadline":
      throw new AdapterUnusable(`The adapter did not answer ${method} within ${WAIT.deadlineMs} ms`);
    case "died":
      throw new AdapterUnusable(`The adapter ended during ${method}`);
  }
}

async function ask(channel: Channel): Promise<Report> {
  const describe = channel.call("describe", { contract: 1, options: {} }, WAIT);
  const { provider, boundary } = okOf("describe", await describe.outcome);
  const check = channel.call("check", {}, WAIT);
  const { ready, problems } = okOf("check", await check.outcome);
  return { provider: provider.name, version: provider.version, boundary, ready, problems };
}

async function examine(subject: string): Promise<Report> {
  const scratch = mkdtempSync(join(tmpdir(), "sandproof-doctor-"));
  let log = "";
  try {
    const channel = spawnAdapter({
      argv: serveArgv(subject),
      env: adapterEnvironment({ runId: newRunId(), folders: adapterFolders(scratch), incarnation: 1, passed: {} }),
      clock: startClock(),
      events: {
        fault: () => {},
        secret: () => {},
        stderr: (chunk) => {
          log = (log + Buffer.from(chunk).toString()).slice(-LOG_TAIL);
        },
        ended: () => {},
      },
    });
    try {
      return await ask(channel);
    } finally {
      await channel.close();
    }
  } catch (error) {
    for (const line of log.split("\n")) if (line !== "") process.stderr.write(`  ${escapeTerminal(line)}\n`);
    throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function text({ provider, version, boundary, ready, problems }: Report): string {
  const paint = (colour: "green" | "red", word: string) => styleText(colour, word, { stream: process.stdout });
  const verdict = ready ? paint("green", "ready") : paint("red", "not ready");
  const lines = problems.flatMap(({ what, fix }) => [`  ${escapeTerminal(what)}`, `    fix: ${escapeTerminal(fix)}`]);
  return [`${provider} ${escapeTerminal(version)} (boundary ${boundary}): ${verdict}`, ...lines, ""].join("\n");
}

export const run: RunCommand = async ({ args: [subject = "namespaces"], options }) => {
  requireAdapter(subject);
  let report: Report;
  try {
    report = await examine(subject);
  } catch (error) {
    if (!(error instanceof AdapterUnusable)) throw error;
    process.stderr.write(
      `sandproof: ${escapeTerminal(error.message)}.\nThe adapter is to be mended: schemas/json/describe.result.json says what a description holds.\n`,
    );
    return EXIT.blocked;
  }
  process.stdout.write(options.json === true ? `${JSON.stringify(report, undefined, 2)}\n` : text(report));
  return report.ready ? EXIT.ok : EXIT.blocked;
};
