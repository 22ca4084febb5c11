/**
 * The state store: one ordered map of bytes to bytes, on local disk or in memory.
 *
 * Keys order by unsigned bytes. `write` is atomic: all of a batch or none of it survives a crash; without `sync`, the
 * newest batches may be lost together (a suffix, never a hole). Writes apply in the order they were issued; an empty one
 * does nothing. After `close`, every call throws STORE_CLOSED; `close` waits for what is under way. Values handed in or out are not copied: nobody may change them.
 */
export interface StateStore {
  get(key: Uint8Array): Promise<Buffer | undefined>;
  getMany(keys: readonly Uint8Array[]): Promise<(Buffer | undefined)[]>;
  /** Rows with `gte <= key < lt` in key order (or backwards), as they stood when the scan began. */
  scan(range: ScanRange): AsyncIterable<readonly [key: Buffer, value: Buffer]>;
  write(ops: readonly StoreOp[], options?: { readonly sync?: boolean }): Promise<void>;
  close(): Promise<void>;
  /**
   * Rewrites every table of the store, so that no file of tables or of the write-ahead log holds what was deleted or replaced
   * before. Nobody may write or scan meanwhile. Throws STORE_FAILED where tables are left. Absent: nothing of the kind is kept.
   */
  rewrite?(): Promise<void>;
  /** Figures of the underlying store; null: it is closed. Absent: it has none. */
  figures?(): StoreFigures | null;
}

/** Of a log-structured store. What it does not know is left out. */
export interface StoreFigures {
  /** Table files by level, the newest first. */
  readonly files: readonly number[];
  /** Written bytes that are not in a file yet. */
  readonly memtableBytes?: number;
  readonly compactions?: number;
  /** That compactions have still to rewrite. */
  readonly compactionBytes?: number;
  /** Writes wait for compactions: at all, or in part. */
  readonly isStopped?: boolean;
  readonly isDelayed?: boolean;
}

export interface ScanRange {
  readonly gte: Uint8Array;
  readonly lt: Uint8Array;
  readonly reverse?: boolean;
  /** Rows at most. Absent: all. */
  readonly limit?: number;
}

/** `value: null` deletes the key. */
export interface StoreOp {
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}

/** How a store on disk is opened. */
export interface StoreOptions {
  /**
   * Opens the folder as it stands, also beside a process that is writing it, without its lock: what was written until
   * now is seen, what comes later is not. Writes throw UNSUPPORTED. Default false.
   */
  readonly readOnly?: boolean;
  /** Bytes of one memtable: what is written gathers in memory so far, then becomes a table file. */
  readonly writeBufferBytes?: number;
  /** Bytes of the cache of blocks. Default 32 MiB. */
  readonly cacheBytes?: number;
  /** Table files held open. Default: `storeLimits.openFilesMax`. */
  readonly openFiles?: number;
  /** Snappy. Default true. */
  readonly compression?: boolean;
}
