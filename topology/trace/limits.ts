/** Bounds on what traces may cost. */
export const traceLimits = {
  /** Traced URLs with a timed wait in the queue: about 100 bytes each. */
  waitsKept: 100_000,
  /** Spans that wait for the collector; what comes beyond them is dropped: some 2 kB each. */
  spansQueued: 8_192,
  spansPerExport: 512,
  exportEveryMs: 1_000,
  /** Longest wait for an unreachable collector at a stop. */
  exportTimeoutMs: 5_000,
} as const;
