import {
  ATTEMPT_LABEL,
  BYSTANDER_LABEL,
  bystanderName,
  namePrefix,
  ownershipLabels,
  ownershipName,
  RUN_LABEL,
  tokenOfName,
} from "../contract/ownership.ts";
import { newToken } from "../history/tokens.ts";
import type { RunId, SandboxId, Token } from "../schemas/core.ts";
import type { Description } from "../schemas/description.ts";
import type { JournalEntry } from "../schemas/documents.ts";
import type { ListItem } from "../schemas/messages.ts";

export type Role = "subject" | "bystander";

/** One call that makes something, known before it is sent. `ids` are all things found to come from it. */
export interface Attempt {
  readonly token: Token;
  readonly target: string;
  readonly role: Role;
  readonly ids: Set<SandboxId>;
}

/** Where attempts are written down durably before anything is sent. */
export interface AttemptLog {
  append(entry: JournalEntry): void;
}

/** Who owns what: attempts, the ids that came of them, and which of those have ended. */
export class Ownership {
  readonly #run: RunId;
  readonly #mode: Description["ownership"];
  readonly #log: AttemptLog;
  readonly #attempts = new Map<Token, Attempt>();
  readonly #byId = new Map<SandboxId, Attempt>();
  readonly #ended = new Set<SandboxId>();
  /** Listed things that bear the run's mark but no attempt's: nobody else would remove them. */
  readonly #strays = new Set<SandboxId>();
  #subjects = 0;

  constructor(run: RunId, mode: Description["ownership"], log: AttemptLog) {
    this.#run = run;
    this.#mode = mode;
    this.#log = log;
  }

  /** What a journal tells of a run whose harness is gone. */
  static restore(run: RunId, mode: Description["ownership"], entries: readonly JournalEntry[]): Ownership {
    const ownership = new Ownership(run, mode, { append: () => {} });
    for (const entry of entries) {
      if (entry.kind === "attempt") {
        const { attempt: token, target, role } = entry;
        ownership.#attempts.set(token, { token, target, role, ids: new Set() });
      } else if (entry.kind === "made") {
        const attempt = ownership.#attempts.get(entry.attempt);
        if (attempt !== undefined) ownership.made(attempt, entry.id);
      } else if (entry.kind === "ended") {
        ownership.ended(entry.id);
      }
    }
    return ownership;
  }

  /** Writes the attempt down, then answers with what the spec must carry to be recognised. */
  register(method: string, role: Role): { attempt: Attempt; mark: { labels?: Record<string, string>; name?: string } } {
    const token = newToken();
    const target = role === "bystander" ? "by" : `s${++this.#subjects}`;
    const attempt: Attempt = { token, target, role, ids: new Set() };
    const name = this.#name(attempt);
    this.#log.append({
      kind: "attempt",
      attempt: token,
      method,
      role,
      target,
      ...(this.#mode === "name" ? { name } : {}),
    });
    this.#attempts.set(token, attempt);
    if (this.#mode === "labels") {
      const labels = role === "bystander" ? { [BYSTANDER_LABEL]: token } : ownershipLabels(this.#run, token);
      return { attempt, mark: { labels } };
    }
    return { attempt, mark: this.#mode === "name" ? { name } : {} };
  }

  made(attempt: Attempt, id: SandboxId): void {
    if (attempt.ids.has(id)) return;
    this.#log.append({ kind: "made", attempt: attempt.token, id });
    attempt.ids.add(id);
    this.#byId.set(id, attempt);
  }

  removing(id: SandboxId): void {
    const attempt = this.#byId.get(id);
    this.#log.append({ kind: "removing", id, ...(attempt === undefined ? {} : { attempt: attempt.token }) });
  }

  ended(id: SandboxId): void {
    if (this.#ended.has(id)) return;
    this.#ended.add(id);
    const attempt = this.#byId.get(id);
    this.#log.append({ kind: "ended", id, ...(attempt === undefined ? {} : { attempt: attempt.token }) });
  }

  hasEnded(id: SandboxId): boolean {
    return this.#ended.has(id);
  }

  attempts(): readonly Attempt[] {
    return [...this.#attempts.values()];
  }

  /** Ids that may still live, bystander last. A stray has no target. */
  live(): { id: SandboxId; target?: string }[] {
    const owned = (role: Role) =>
      this.attempts()
        .filter((attempt) => attempt.role === role)
        .flatMap(({ ids, target }) => [...ids].map((id) => ({ id, target })));
    const strays = [...this.#strays].map((id) => ({ id }));
    return [...owned("subject"), ...strays, ...owned("bystander")].filter(({ id }) => !this.#ended.has(id));
  }

  /**
   * Whose a listed item is, by its mark (label or name) and by its id. `bearsRun` is the item's own claim to be of this run; a
   * claim without a known attempt is a phantom. An id that is seen for the first time is registered to its attempt at once.
   */
  recognise(item: ListItem): { owner: Attempt | undefined; marked: Attempt | undefined; bearsRun: boolean } {
    const labels = item.labels ?? {};
    const names = [item.name, this.#mode === "client-id" ? item.id : undefined].filter((name) => name !== undefined);
    const bearsRun = labels[RUN_LABEL] === this.#run || names.some((name) => name.startsWith(namePrefix(this.#run)));
    const byLabel = [bearsRun ? labels[ATTEMPT_LABEL] : undefined, labels[BYSTANDER_LABEL]].map((token) =>
      this.#attempts.get(token as Token),
    );
    const byName = names.map((name) => this.#named(name));
    const marked = [...byLabel, ...byName].find((attempt) => attempt !== undefined);
    // A destroy that was believed and is contradicted: it is to be removed again.
    if (item.state !== "terminal" && item.state !== "absent") this.#ended.delete(item.id);
    if (marked !== undefined) this.made(marked, item.id);
    else if (bearsRun && !this.#byId.has(item.id)) this.#strays.add(item.id);
    return { owner: marked ?? this.#byId.get(item.id), marked, bearsRun };
  }

  /** The attempt that was given exactly this name. */
  #named(name: string): Attempt | undefined {
    const attempt = this.#attempts.get(tokenOfName(name) as Token);
    return attempt !== undefined && this.#name(attempt) === name ? attempt : undefined;
  }

  /** By `client-id` the adapter makes every id from the attempt alone, the bystander's too. */
  #name(attempt: Attempt): string {
    return attempt.role === "bystander" && this.#mode === "name"
      ? bystanderName(this.#run, attempt.token)
      : ownershipName(this.#run, attempt.token);
  }
}
