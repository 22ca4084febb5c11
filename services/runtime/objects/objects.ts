/**
 * The object store: named bytes in a folder or an S3-compatible store, each object whole or not there.
 *
 * Names are parts of letters, digits, `.`, `_` and `-`, apart by slashes. A `put` that has resolved survives a crash; one
 * that was cut off leaves the object of before or none. Throws DESTINATION_UNREACHABLE where the store is away or busy,
 * DESTINATION_REFUSED with its words where it refuses, DISK_FULL.
 */
export interface ObjectStore {
  /** The store's address, as a user would write it. */
  readonly place: string;
  put(name: string, bytes: Buffer): Promise<void>;
  /** Puts an object from a file, which may be larger than memory. */
  putFile(name: string, path: string): Promise<void>;
  /** Undefined: there is no such object. */
  get(name: string): Promise<Buffer | undefined>;
  /** All names that begin with `folder`, which ends in a slash, in order. */
  list(folder: string): Promise<string[]>;
  /** Removes objects; names that do not exist count as removed. */
  remove(names: readonly string[]): Promise<void>;
  close(): void;
}
