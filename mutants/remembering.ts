import type { Adapter } from "../contract/port.ts";

/** An adapter's memory of what it made itself: a fresh process has lost it. */
export function remembering(honest: Adapter): {
  readonly own: ReadonlySet<string>;
  readonly create: Adapter["create"];
} {
  const own = new Set<string>();
  return {
    own,
    create: async (params, call) => {
      const made = await honest.create(params, call);
      own.add(made.id);
      return made;
    },
  };
}
