/** Bounds of how a changelog is treated that was damaged, or has lost records. */
export const changelogLimits = {
  /** A partition with faulty records is tried again this often: they may have been repaired. */
  stoppedAgainMs: 60_000,
  /** An owner asks this often whether its changelog still reaches what was acknowledged: one small request. */
  lossLookMs: 10_000,
} as const;
