import type { AdapterFault } from "../../../schemas/event.ts";
import { type Evidence, fail, type Judge, pass, unknown } from "../../check.ts";

/** The adapter as a program: none of these faults was seen in all its replies. */
export const noFaultOf =
  (faults: readonly AdapterFault[], expected: string): Judge =>
  (evidence) => {
    const seen = evidence.history.notes("adapter-fault").filter((note) => faults.includes(note.value.fault));
    const [first] = seen;
    if (first !== undefined) {
      return fail(
        "port",
        seen.map((note) => note.event.i),
        expected,
        `${first.value.fault} (${seen.length} in all)`,
      );
    }
    const deaths = evidence.history.notes("adapter-ended").filter((note) => !note.value.expected).length;
    if (deaths > 0) return unknown("adapter-fault", `the adapter ended ${deaths} times without being asked to`);
    const replies = countReplies(evidence);
    return replies === 0
      ? unknown("too-few", "the adapter replied to nothing")
      : pass("port", replies, `${replies} replies`);
  };

const countReplies = ({ history }: Evidence): number =>
  history.operations.filter(
    ({ completion }) => completion?.type === "ok" || (completion !== undefined && completion.error.origin === "reply"),
  ).length;
