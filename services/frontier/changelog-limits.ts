/** Bounds of how a changelog is treated that was damaged, or has lost records. */
export const changelogLimits = {
  /** A partition with faulty records is tried again this often: they may have been repaired. */
  stoppedAgainMs: 60_000,
  /** How often an owner checks that its changelog still contains the acknowledged records, ms: one small request. */
  lossLookMs: 10_000,
} as const;
