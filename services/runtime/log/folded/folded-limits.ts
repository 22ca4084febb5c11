/** Bounds of folded topics (services/runtime/log/folded). */
export const foldedLimits = {
  /** Bytes of one poll of all flows of a process. */
  pollBytes: 4 * 1024 * 1024,
  /** Longest wait of a poll of flows without new records, ms. A flow that is added ends the wait. */
  pollWaitMs: 1_000,
  /** Wait before flows are read again after an error. */
  againMs: 250,
  /** Newest records of each flow in memory: a reader that keeps up is behind by some milliseconds. */
  tailBytes: 1024 * 1024,
  /** Longest wait of a reader for a flow that it is behind in, so that its other topics do not wait. */
  behindWaitMs: 250,
  /** Longest wait of a poll for records that this process has appended. */
  knownWaitMs: 10_000,
} as const;
