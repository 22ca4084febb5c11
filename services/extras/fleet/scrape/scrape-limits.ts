/** Bounds of reading one page (services/extras/fleet/scrape). */
export const scrapeLimits = {
  /** A call answers by then, whatever is left: agents give a call up after a minute. ms */
  waitMsMax: 50_000,
  waitMs: 20_000,
  /** How often a waiting call looks. ms */
  lookMs: 100,
  /** A page that is this old is fetched again unless a call says otherwise: an hour. s */
  ageSMax: 3_600,
  /** Single pages that are kept of an owner: for one more, the oldest is deleted. */
  keptMax: 100,
  /** Characters of a URL. */
  urlCharsMax: 8_192,
} as const;
