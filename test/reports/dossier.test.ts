import { expect, test } from "vitest";
import { dossier } from "../../reports/dossier.ts";
import { SELF_REPORTED } from "../../reports/words.ts";
import type { Environment, Results } from "../../schemas/documents.ts";
import { everyCheck, HOSTILE, sample, wholeProfile } from "./sample.ts";

const MAX_VISIBLE_LINES = 60;
/** What an issue or comment takes. */
const MAX_CHARACTERS = 65_536;

/** Lines that a reader sees before opening anything; a fold is one line. */
function visible(text: string): string[] {
  const seen: string[] = [];
  let inside = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("<details>")) {
      seen.push(line);
      inside = true;
    } else if (line === "</details>") inside = false;
    else if (!inside && line.trim() !== "") seen.push(line);
  }
  return seen;
}

test("the rung comes first, then both verdicts", async () => {
  const { published } = await sample();
  const [heading, rung, verdicts] = visible(published);
  expect(heading).toBe("## Real behavior proof");
  expect(rung).toContain(SELF_REPORTED);
  expect(SELF_REPORTED).toBe("self-reported: unsigned; anyone could have rewritten it");
  expect(verdicts).toMatch(/^\*\*Conformance: passed \(selected 5 of \d+ checks of the profile\)\*\*/);
  expect(verdicts).toContain("none on 4 of 5 planes; not seen: ended-natively");
});

test("what is published is what the same results give again", async () => {
  const { results, environment, published } = await sample();
  expect(dossier(results, environment)).toBe(published);
});

test("command, environment, digests and root are there", async () => {
  const { results, environment, published } = await sample();
  expect(published).toContain("```sh\nsandproof run toy --check exec.exit-code --seed 42\n```");
  for (const part of [environment.adapter.files, environment.runId, results.root, "seed 42", "commit unknown"])
    expect(published).toContain(part);
  expect(published).toContain("classification=passed-selection cleanup=");
  expect(published).not.toContain("sandproof verify");
});

test("a failure has its requirement, both sides and the events", async () => {
  const { results, published } = await sample({ seven: 0 });
  const failed = results.checks.find(({ status }) => status === "fail");
  expect(failed?.id).toBe("exec.exit-code");
  const line = visible(published).find((text) => text.startsWith("- ✘ `exec.exit-code`"));
  expect(line).toMatch(/Exit codes 0.* Expected: code\\-7\\: exit code 7\. Observed: exit code 0\. Events \d+, \d+\.$/);
  expect(published).toContain("**Conformance: violated**");
});

test.each(["pass", "fail", "unknown", "blocked", "harness-error"] as const)(
  "with every check %s it is short enough to read and to paste",
  async (status) => {
    const { results, environment } = await sample(wholeProfile);
    const text = dossier(everyCheck(results, status, "long words ".repeat(100)), environment);
    expect(results.checks.length).toBeGreaterThan(20);
    expect(visible(text).length).toBeLessThanOrEqual(MAX_VISIBLE_LINES);
    expect(text.length).toBeLessThan(MAX_CHARACTERS);
  },
);

test("blocked stands apart from the other counts, and what was not tested is never empty", async () => {
  const { results, environment } = await sample();
  const text = dossier(everyCheck(results, "blocked"), environment);
  expect(text).toMatch(
    /\*\*Observed result\*\*: 0 pass, 0 fail, .*; apart from these [1-9]\d* blocked, which never count/,
  );
  expect(text).toMatch(/\*\*Not tested\*\*: [1-9]/);
});

test("where nobody looked there is no zero", async () => {
  const { published } = await sample();
  expect(published).toContain("| ended-natively | – | – | unknown\\: not looked at by this run |");
  expect(published).toContain("| billing | – | – | not\\-applicable\\: the sandboxes are on this host");
  expect(published).toContain("| companions | 0 | 0 | pass \\(none seen during the run either\\)\\; 9 new on the host");
});

test("a truncated history is never called conformant", async () => {
  const { results, environment } = await sample();
  const verdict = { conformance: "unknown", residue: "unknown" } as const;
  const text = dossier({ ...results, verdict, history: "truncated" }, environment);
  expect(text).toContain("The history is truncated");
  expect(text).toContain("classification=truncated cleanup=unknown");
  expect(text).not.toMatch(/conformant|Residue: none/);
});

test("nothing that the provider, adapter or guest says becomes markup", async () => {
  const clean = await sample({ seven: 0 });
  const said: Partial<Environment> = {
    provider: { name: HOSTILE, version: HOSTILE },
    adapter: { name: HOSTILE, version: HOSTILE, commit: HOSTILE, files: "0".repeat(64) },
    target: { endpointClass: "this-host", region: HOSTILE },
    guest: { shell: HOSTILE, tools: [HOSTILE], workdir: HOSTILE, user: HOSTILE },
    claims: { [HOSTILE]: HOSTILE },
    command: ["sandproof", "run", HOSTILE],
    challenge: HOSTILE,
  };
  const { results, environment } = await sample({ seven: 0, environment: said });
  const render = (results: Results, environment: Environment, said: string) =>
    dossier(
      {
        ...everyCheck(results, "fail", said),
        planes: results.planes.map((plane) => ({ ...plane, status: "fail" as const, detail: said })),
        notTested: [{ what: said, why: said }],
        allowed: [said],
      },
      environment,
    );
  const text = render(results, environment, HOSTILE);
  const plain = render(clean.results, clean.environment, "as told");
  // Block structure: all that is there is ours.
  const count = (content: string, pattern: RegExp) => content.match(pattern)?.length ?? 0;
  for (const pattern of [/^ {0,3}#/gm, /^ {0,3}(`{3,}|~{3,})/gm, /^<\/?details>/gm, /^\|.*\|$/gm, /^- /gm])
    expect(count(text, pattern), String(pattern)).toBe(count(plain, pattern));
  // Inline: outside of fences every mark of theirs stands behind a backslash.
  const prose = text.replaceAll(/^(`{3,})\w+\n[\s\S]*?\n\1$/gm, "").replaceAll(/\\./g, "");
  expect(prose).not.toMatch(/<(img|script)|\]\(|!\[|@maintainer|#1/);
  expect(count(prose, /<\/details>/g)).toBe(count(plain, /^<\/details>$/gm));
  expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
});
