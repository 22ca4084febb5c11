/** Bounds of a fleet: many crawls in one process (docs/fleet.md). */
export const fleetLimits = {
  /** Least time between the end of a request of any crawl and the start of the next one to the same host, ms. */
  hostDelayMs: 1_000,
  /** Every so many permits of a host, the crawl that has waited longest there goes first, whatever the shares. */
  turnsOfShares: 16,
  /**
   * While all its hosts wait for their delays, a crawl keeps a credit of at most this many requests; requests that it could not have used are not made up for.
   */
  requestsOwed: 16,
  /**
   * The first requests of a crawl go before those of others, and are owed to it: robots.txt of some hosts, and a page, so that
   * it shows at once whether it works. More would be felt by the others.
   */
  requestsFirst: 6,
  /**
   * A crawl that has so many requests that could start now, and wait for a place among those in flight, takes no more leases:
   * they would run out before their turn.
   */
  readyMax: 8,
  /** Where such a request waits longer, as where many crawls share few places, */
  readyWaitMs: 2_000,
  /** this many are enough: one that goes on, and one with a ready host while the other waits. */
  readyLeast: 2,
  /** What a request costs a crawl beside its time, ms: one that is over within a millisecond is one all the same. */
  requestCostMs: 1,
  /** Back-off of a host that asks for fewer requests: from the first, doubled, to the last. ms */
  backOffMs: [5_000, 30_000, 300_000],
  /** Requests of others that a crawl lets go first, at a host that it troubled again and again. */
  permitsOwedMax: 64,
  /** Bound of a multiple of the last request's duration, ms: as for a fetcher. */
  adaptiveDelayMaxMs: 30_000,
  /** URLs of a host that are remembered while its server fails one after the other. A crawl that bears more counts as if it bore so many. */
  failedUrlsMax: 100,
  /** A host that nobody asks for is forgotten this long after its time has come, with how often it asked for fewer requests. ms */
  forgetMs: 600_000,
  /** Hosts before the first look for such. */
  sweepAtLeast: 4_096,
} as const;
