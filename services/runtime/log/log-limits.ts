/** Bounds of the embedded log. */
export const logLimits = {
  /** One record's value: eight times the largest stored body, and far below the limit of a RocksDB batch. */
  recordBytesMax: 16 * 1024 * 1024,
  /** Keys and headers live in the row's key, their lengths in 16 bits. */
  keyBytesMax: 65_000,
  headerBytesMax: 65_000,
  /** Appends gathered into one synced write: large enough that the sync (3 ms) is small change, small enough to stay quick. */
  groupBytesMax: 4 * 1024 * 1024,
  /** Records of a new stretch of about this many bytes lie together on disk, away from older ones: one memtable's worth. */
  segmentBytes: 64 * 1024 * 1024,
  /** Recent records kept in memory for readers that keep up: more than a second of a full-speed crawl. */
  tailBytes: 16 * 1024 * 1024,
  /** Rows deleted per write while trimming: a slice must not hold up appends. */
  trimRowsPerWrite: 2_000,
  /** Partition numbers have 16 bits in a row's key. */
  partitionsMax: 65_535,
  /** Interval at which a read-only log beside a writer checks for new records while a reader waits, ms. */
  refreshMs: 500,
  /** After damage, a read is repeated with its bytes divided by this, down to one record. */
  damagedReadShare: 16,
  /**
   * Bytes of tables that are checked when a crawl continues, which takes a quarter of a second. Larger logs are
   * checked on demand.
   */
  checkedTablesBytesMax: 64 << 20,
} as const;
