/** Bounds of the policy, each with its reason. Units are in the names. */

/** Bounds on waits: delays, retries, caps on them. */
export const waitLimits = {
  /** Ten years: no crawl waits longer, and a time plus a wait stays a date. */
  waitMsMax: 10 * 365 * 24 * 3_600_000,
} as const;

/** Bounds on hosts that may be on several leases at once. */
export const parallelLimits = {
  /**
   * No server takes a client with more connections than this for a friend; each connection is a lease, and a permit in
   * the pacer.
   */
  leasesMax: 64,
} as const;

/** Bounds on visits to come. */
export const recrawlLimits = {
  /** A visit's price is found again this often: it follows millions of pages, which change slowly, and costs 1 ms. */
  priceEveryMs: 3_600_000,
} as const;
