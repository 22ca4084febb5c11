/**
 * Mutants that no test can notice, or none should, each with its reason. Told by file, what is replaced by what, and the
 * line it stands in, so that an edit elsewhere in the file leaves them valid.
 */
export interface Accepted {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** A part of the line that tells it from others. */
  readonly line: string;
  readonly because: string;
}

export const accepted: readonly Accepted[] = [];
