export const snapshotLimits = {
  /** Bytes of rows in one file, before compression: one upload, one read, and what a damaged byte costs. */
  fileBytes: 8 << 20,
  /**
   * A file of rows, inflated, at most: of the rows, which end with the first that reaches `fileBytes`, and their lengths. What
   * inflates to more is no file of ours, and would fill the memory.
   */
  inflatedBytesMax: 256 << 20,
  /** The fastest level: files are three times smaller, at 20 ms a megabyte, beside the crawl. */
  compressionLevel: 1,
  /** Rows written at once while a snapshot is restored: RocksDB's batches hold native memory. */
  restoreBatchBytes: 1 << 20,
  /** Snapshots of a partition that are kept: if the newest is damaged there is one before it, and one before that. */
  kept: 3,
  /** Files without a manifest are removed after this, since the process that wrote them must have died. */
  unfinishedMs: 6 * 3_600_000,
  /** Shortest interval between snapshots: each reads the whole state once. */
  everyMsMin: 1_000,
} as const;
