/** The person asked to stop: scenarios unwind, tidying up follows. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  constructor() {
    super("interrupted");
  }
}

/** A scenario cannot go on since an operation that it stands on did not succeed; what it recorded is still judged. */
export class Abandoned extends Error {
  override readonly name = "Abandoned";
  /** Lowercase words for the history. */
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The record itself cannot be written any more (a full disk): nothing may be exercised unrecorded, only tidied up. */
export class RecordLost extends Error {
  override readonly name = "RecordLost";
  constructor(cause: unknown) {
    super("the record cannot be written", { cause });
  }
}
