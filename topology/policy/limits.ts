/** Bounds of the policy, each with its reason. Units are in the names. */

/** Bounds on hosts that may be on several leases at once. */
export const parallelLimits = {
  /** More connections than this no server takes from one client for a friend; each is a lease, and a turn in the pacer. */
  leasesMax: 64,
} as const;

/** Bounds on visits to come. */
export const recrawlLimits = {
  /** A visit's price is found anew this often: it follows millions of pages, which change slowly, and costs 1 ms. */
  priceEveryMs: 3_600_000,
} as const;
