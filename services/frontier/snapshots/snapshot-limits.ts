export const snapshotLimits = {
  /** Bytes of rows in one file, before compression: one upload, one read, and the most that a damaged byte destroys. */
  fileBytes: 8 << 20,
  /**
   * Largest decompressed file of rows: the rows up to the first that reaches `fileBytes`, and their lengths. A larger
   * one is not a file of rows, and would fill the memory.
   */
  inflatedBytesMax: 256 << 20,
  /** The fastest level: files are three times smaller, at 20 ms a megabyte, while the crawl runs. */
  compressionLevel: 1,
  /** Bytes of rows written at once while a snapshot is restored: RocksDB's batches hold native memory. */
  restoreBatchBytes: 1 << 20,
  /** Snapshots kept of a partition: if the newest is damaged, two others are left. */
  kept: 3,
  /** Files without a manifest are removed after this time, ms, because the process that wrote them must have died. */
  unfinishedMs: 6 * 3_600_000,
  /** Shortest interval between snapshots: each reads the whole state once. */
  everyMsMin: 1_000,
} as const;
