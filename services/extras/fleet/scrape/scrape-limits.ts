/** Limits of reading one page (services/extras/fleet/scrape). */
export const scrapeLimits = {
  /** Longest time of a call, ms: agents give up after about a minute. */
  waitMsMax: 50_000,
  waitMs: 20_000,
  /** How often a waiting call checks for its page, ms. */
  lookMs: 100,
  /** Default of the age from which a page is fetched again, s: an hour. */
  ageSMax: 3_600,
  /** Most single pages that are kept for an owner; beyond it, the oldest is deleted. */
  keptMax: 100,
  /** Most characters of a URL. */
  urlCharsMax: 8_192,
} as const;
