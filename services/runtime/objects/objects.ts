/**
 * The object store: named bytes in a folder or an S3-compatible store, each object whole or not there.
 *
 * Names are parts of letters, digits, `.`, `_` and `-`, apart by slashes. A `put` that has resolved survives a crash; one
 * that was cut off leaves the object of before or none. Throws DESTINATION_UNREACHABLE where the store is away or busy,
 * DESTINATION_REFUSED with its words where it refuses, DISK_FULL.
 */
export interface ObjectStore {
  /** As a user would write it. */
  readonly place: string;
  put(name: string, bytes: Buffer): Promise<void>;
  /** From a file, which may be larger than memory. */
  putFile(name: string, path: string): Promise<void>;
  /** Undefined: there is no such object. */
  get(name: string): Promise<Buffer | undefined>;
  /** All names that begin with `folder`, which ends in a slash, in order. */
  list(folder: string): Promise<string[]>;
  /** Those that are not there are removed already. */
  remove(names: readonly string[]): Promise<void>;
  close(): void;
}
