/** Bounds of what one crawl may take of the process that a fleet's crawls share. */
export const shareLimits = {
  /** A decision takes a millisecond or two, and some fifty under load: one that takes this long keeps all others waiting for it. */
  decisionMsMax: 2_000,
  /** Decisions up to this long cost nothing. */
  decisionMsFree: 50,
  /** After a longer one its crawl rests so many times as long. */
  restFactor: 4,
  /** After each decision a crawl rests so long while its owner uses more than its share of a busy process, ms: what comes meanwhile is decided together. */
  overRestMs: 250,
} as const;
