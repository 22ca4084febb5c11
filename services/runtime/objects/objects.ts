/**
 * The object store: named bytes in a folder or an S3-compatible store; an object is complete or absent.
 *
 * Names consist of letters, digits, `.`, `_` and `-`, separated by slashes. A `put` that has resolved survives a
 * crash; an interrupted one leaves the previous object or none. Throws DESTINATION_UNREACHABLE if the store is away
 * or busy, DESTINATION_REFUSED with its message if it refuses, and DISK_FULL.
 */
export interface ObjectStore {
  /** Address of the store, as a user would write it. */
  readonly place: string;
  put(name: string, bytes: Buffer): Promise<void>;
  /** Puts an object from a file, which may be larger than memory. */
  putFile(name: string, path: string): Promise<void>;
  /** Resolves to the bytes of an object; undefined: it does not exist. */
  get(name: string): Promise<Buffer | undefined>;
  /** All names that begin with `folder`, which ends in a slash, in order. */
  list(folder: string): Promise<string[]>;
  /** Removes objects; names that do not exist count as removed. */
  remove(names: readonly string[]): Promise<void>;
  close(): void;
}
