/** Bounds of folded topics (services/runtime/log/folded). */
export const foldedLimits = {
  /** Of all flows of a process, in one poll. */
  pollBytes: 4 * 1024 * 1024,
  /** Longest wait of a poll of flows without new records, ms. A flow that is added ends the wait. */
  pollWaitMs: 1_000,
  /** Before flows are read again after an error. */
  againMs: 250,
  /** Newest records of each flow in memory: a reader that keeps up is behind by some milliseconds. */
  tailBytes: 1024 * 1024,
  /** A reader that is behind waits so long for the log at a time, so that its other topics are not held up. */
  behindWaitMs: 250,
  /** A poll waits so long for records that this process knows to be there. */
  knownWaitMs: 10_000,
} as const;
