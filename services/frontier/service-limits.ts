/** Bounds of the frontier's service around the core. */
export const frontierServiceLimits = {
  /** Bytes of input read at once: a few commits' worth. */
  pollBytes: 1 << 20,
  /** URLs with a timed wait, about 150 bytes each: one in 64 of 640,000 that wait. */
  waitsTimed: 10_000,
  /** An idle partition checks for work this often. */
  idleMs: 250,
  /** Commits decided ahead of the acks: hides a sync or a round trip, bounds what a takeover throws away. */
  commitsUnderWay: 4,
  /** Pause before a partition that was lost is opened again, doubled each time up to a group's session timeout. */
  reopenMs: 250,
  reopenMsMax: 10_000,
  /** A record that a step failed on so often is put aside: once may be a passing fault, twice is the record's. */
  stepTries: 2,
  /** The checkpoint is written this often, or after so much changelog: it bounds what a restart replays, to about a second. */
  saveEveryMs: 5_000,
  saveEveryBytes: 32 << 20,
  /** Changelog replayed in one go while a partition is restored: about 10 ms, for which other partitions wait. */
  restoreSliceBytes: 256 << 10,
  /** A restore writes its checkpoint this often: each time, every host that has changed costs two rows, so seldom is cheap. */
  restoreSaveBytes: 64 << 20,
  /** A restore reports its progress this often; shorter ones do not report. */
  restoreReportMs: 1_000,
  /**
   * How often a standby without new records checks for some, and how often it checks how far behind it is: two small
   * requests each.
   */
  standbyWaitMs: 500,
  standbyLookMs: 1_000,
  /** A copy no further behind than this many records takes over in well under a second. */
  caughtUpRecords: 256,
  /**
   * What a copy knows of its owner holds for this long: several looks, so that one slow answer changes nothing. A process that was
   * cut off from the brokers warms its copies before it takes partitions.
   */
  caughtUpMs: 5_000,
  /**
   * A copy that fails at the same point again is restarted after ever longer pauses, at most this long: snapshots come
   * this often.
   */
  standbyAgainMsMax: 300_000,
} as const;
