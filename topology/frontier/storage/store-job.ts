/**
 * Work on rows of the state store, written as a generator: it yields requests to read or write, and receives the rows
 * that were read. The caller does the I/O (services/frontier, a test's driver). Little time passes between two
 * requests, so a job of seconds blocks nobody. An abandoned job leaves rows without references.
 */
export interface Row {
  readonly key: Buffer;
  /** null: the row is gone. */
  readonly value: Buffer | null;
}

export type StoreRequest =
  | { readonly read: readonly Uint8Array[]; readonly write?: undefined; readonly scan?: undefined }
  | { readonly write: readonly Row[]; readonly read?: undefined; readonly scan?: undefined }
  /** The first `limit` rows of a range, in order. */
  | {
      readonly scan: { readonly gte: Buffer; readonly lt: Buffer; readonly limit: number };
      readonly read?: undefined;
      readonly write?: undefined;
    };

/**
 * Values in the order of the keys; null where a row is missing. A write is answered by an empty list, a scan by a key and
 * its value in turn.
 */
export type StoreReply = readonly (Uint8Array | null | undefined)[];

export type StoreJob<Result = void> = Generator<StoreRequest, Result, StoreReply>;

/** Runs a job that needs no row. */
export function finishInMemory(job: StoreJob): void {
  if (!job.next([]).done) throw new Error('a step starts before the rows that it needs are read');
}
