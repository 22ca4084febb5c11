/** Limits of one crawl's share of the process that all crawls of a fleet run in. */
export const shareLimits = {
  /**
   * Longest decision, ms. A decision takes one or two ms, and about fifty under load. All other crawls wait for a longer
   * one.
   */
  decisionMsMax: 2_000,
  /** Longest decision after which a crawl need not rest, ms. */
  decisionMsFree: 50,
  /** After a longer decision, the crawl rests for its time multiplied by this factor. */
  restFactor: 4,
  /**
   * Rest of a crawl after each decision while its owner uses more than its share of a busy process, ms: inputs that
   * arrive meanwhile are decided together.
   */
  overRestMs: 250,
} as const;
