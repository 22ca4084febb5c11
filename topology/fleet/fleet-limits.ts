/** Bounds of a fleet: many crawls in one process (docs/fleet.md). */
export const fleetLimits = {
  /** Least time between the end of a request of any crawl and the start of the next one to the same host, ms. */
  hostDelayMs: 1_000,
  /**
   * After this many permits of a host, the next goes to the crawl that has waited longest there, regardless of shares.
   */
  turnsOfShares: 16,
  /**
   * Most requests of credit that a crawl collects while all its hosts wait for their delays. It gets no credit for
   * requests that it could not have used.
   */
  requestsOwed: 16,
  /**
   * First requests of a crawl that go before those of others, with a credit for them: robots.txt of some hosts, and a
   * page that shows whether the crawl works. More would slow the others noticeably.
   */
  requestsFirst: 6,
  /**
   * A crawl with this many requests that could start, and wait for a place among those in flight, takes no more leases:
   * they would expire first.
   */
  readyMax: 8,
  /** If such requests wait longer than this, because many crawls share few places, */
  readyWaitMs: 2_000,
  /** this many are enough: one in progress, and one with a ready host. */
  readyLeast: 2,
  /** Fixed cost of a request beside its duration, ms, so that requests of less than a millisecond count too. */
  requestCostMs: 1,
  /** Back-off of a host that asks for fewer requests, ms: it starts at the first value and doubles, at most to the last. */
  backOffMs: [5_000, 30_000, 300_000],
  /** Most requests of others that go before a crawl, at a host that it troubled repeatedly. */
  permitsOwedMax: 64,
  /** Bound of the delay that is a multiple of the last request's duration, ms: as for a fetcher. */
  adaptiveDelayMaxMs: 30_000,
  /**
   * URLs of a host that are remembered during a series of server errors. A higher tolerance of a crawl counts as this
   * one.
   */
  failedUrlsMax: 100,
  /** Time after which an unused host is forgotten, ms, including its number of back-offs. */
  forgetMs: 600_000,
  /** Number of hosts at which the first search for unused ones starts. */
  sweepAtLeast: 4_096,
} as const;
