/** Bounds of reading one page (services/extras/fleet/scrape). */
export const scrapeLimits = {
  /** Longest time of a call, ms: agents give up a call after a minute. */
  waitMsMax: 50_000,
  waitMs: 20_000,
  /** How often a waiting call checks for its page, ms. */
  lookMs: 100,
  /** Age from which a page is fetched again, unless a call says otherwise, s: an hour. */
  ageSMax: 3_600,
  /** Single pages kept for an owner; beyond it, the oldest is deleted. */
  keptMax: 100,
  /** Characters of a URL. */
  urlCharsMax: 8_192,
} as const;
