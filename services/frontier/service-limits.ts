/** Bounds of the frontier's service around the core. */
export const frontierServiceLimits = {
  /** Bytes of input read at once. Decoded records wait in memory, where the garbage collector copies what waits. */
  pollBytes: 1 << 17,
  /** URLs with a timed wait, about 150 bytes each: one in 64 of 640,000 that wait. */
  waitsTimed: 10_000,
  /** An idle partition checks for work this often. */
  idleMs: 250,
  /** Commits decided ahead of their acks: hides a sync or a round trip, and bounds the work that a takeover discards. */
  commitsUnderWay: 4,
  /** Longest wait for the brokers to say where a log was cut, ms. */
  cutWaitMs: 5_000,
  /** Pause before a lost partition is opened again, ms, doubled each time up to a group's session timeout. */
  reopenMs: 250,
  reopenMsMax: 10_000,
  /**
   * Longest policy that is certain to decide quickly if it has no patterns, characters of JSON without the names of its
   * scope: the default has 3,000.
   */
  plainPolicyChars: 4_096,
  /** A record is skipped after this many failed steps: one may be a passing fault, two are the record's. */
  stepTries: 2,
  /**
   * How often the checkpoint is written, by time (ms) or bytes of changelog. It bounds what a restart replays, to
   * about a second.
   */
  saveEveryMs: 5_000,
  saveEveryBytes: 32 << 20,
  /** Bytes of changelog below which a crawl beside others may write its checkpoint less often: replayed in a millisecond. */
  saveSmallBytes: 64 << 10,
  /** Bytes of changelog replayed at once while a partition is restored: about 10 ms, while other partitions wait. */
  restoreSliceBytes: 256 << 10,
  /**
   * Bytes of changelog between two checkpoints of a restore. Each checkpoint costs two rows for every changed host,
   * so few are cheaper.
   */
  restoreSaveBytes: 64 << 20,
  /** How often a restore reports its progress, ms; shorter restores do not report. */
  restoreReportMs: 1_000,
  /**
   * How often a standby without new records checks for some, and how often it checks how far behind it is, ms: two
   * small requests each.
   */
  standbyWaitMs: 500,
  standbyLookMs: 1_000,
  /** A copy that is at most this many records behind takes over in well under a second. */
  caughtUpRecords: 256,
  /**
   * How long a copy's knowledge of its owner stays valid, ms: several checks, so that one slow answer changes
   * nothing. A process that was cut off from the brokers warms its copies before it takes partitions.
   */
  caughtUpMs: 5_000,
  /** Longest pause before a copy that fails again at the same point is restarted, ms: the interval of snapshots. */
  standbyAgainMsMax: 300_000,
} as const;
