/** Bounds of what one crawl may take of the process that a fleet's crawls share. */
export const shareLimits = {
  /** A decision takes a millisecond or two, and some fifty under load: one that takes this long keeps all others waiting for it. */
  decisionMsMax: 2_000,
  /** Decisions up to this long cost nothing. */
  decisionMsFree: 50,
  /** After a longer decision, its crawl rests this many times as long. */
  restFactor: 4,
  /**
   * Rest of a crawl after each decision while its owner uses more than its share of a busy process, ms: inputs that
   * arrive meanwhile are decided together.
   */
  overRestMs: 250,
} as const;
