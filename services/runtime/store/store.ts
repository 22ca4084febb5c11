/**
 * The state store: one ordered map of bytes to bytes, on local disk or in memory.
 *
 * Keys are ordered by unsigned bytes. `write` is atomic: all of a batch or none of it survives a crash. Without
 * `sync`, the newest batches may be lost together (a suffix, never a gap). Writes apply in the order in which they
 * were issued; an empty one does nothing. After `close`, every call throws STORE_CLOSED; `close` waits for current
 * calls. Values are not copied: neither caller nor store may change them.
 */
export interface StateStore {
  get(key: Uint8Array): Promise<Buffer | undefined>;
  getMany(keys: readonly Uint8Array[]): Promise<(Buffer | undefined)[]>;
  /** Rows with `gte <= key < lt` in key order (or backwards), as of the start of the scan. */
  scan(range: ScanRange): AsyncIterable<readonly [key: Buffer, value: Buffer]>;
  write(ops: readonly StoreOp[], options?: { readonly sync?: boolean }): Promise<void>;
  close(): Promise<void>;
  /**
   * Rewrites every table of the store, so that no file of tables or of the write-ahead log has deleted or replaced
   * data. No call may write or scan meanwhile. Throws STORE_FAILED if old tables remain. Absent: the store keeps no
   * such data.
   */
  rewrite?(): Promise<void>;
  /**
   * Frees the disk space of deleted rows with `gte <= key < lt`. Resolves once that has begun; other calls go on
   * meanwhile. Absent: the store frees it without being asked.
   */
  free?(gte: Uint8Array, lt: Uint8Array): Promise<void>;
  /** Figures of the underlying store; null: it is closed. Absent: it has none. */
  figures?(): StoreFigures | null;
}

/** Figures of a log-structured store; unknown ones are left out. */
export interface StoreFigures {
  /** Table files by level, the newest first. */
  readonly files: readonly number[];
  /** Written bytes that are not in a file yet. */
  readonly memtableBytes?: number;
  readonly compactions?: number;
  /** Bytes that compactions still have to rewrite. */
  readonly compactionBytes?: number;
  /** Writes wait for compactions: completely, or in part. */
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

/** Options for opening a store on disk. */
export interface StoreOptions {
  /**
   * Opens the folder as it is, without its lock, even beside a process that is writing it: the store sees everything
   * written so far, and nothing written later. Writes throw UNSUPPORTED. Default false.
   */
  readonly readOnly?: boolean;
  /** Bytes of one memtable: writes collect in memory up to this size, then become a table file. */
  readonly writeBufferBytes?: number;
  /** Bytes of the block cache. Default 32 MiB. */
  readonly cacheBytes?: number;
  /** Table files held open. Default: `storeLimits.openFilesMax`. */
  readonly openFiles?: number;
  /** Snappy. Default true. */
  readonly compression?: boolean;
}
