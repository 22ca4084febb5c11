/** Limits of a fleet's separate fetcher processes (services/extras/fleet/fetchers). */
export const fleetFetcherLimits = {
  /** Partitions of the tasks of a new fleet. More fetchers than partitions would have no work. */
  taskPartitions: 16,
  /** Most bytes of one poll, over all partitions of a process: thousands of tasks. */
  pollBytes: 1024 * 1024,
  pollWaitMs: 1_000,
  /** Interval at which the progress of leases is committed, ms: after a kill, later reports are repeated. */
  commitMs: 1_000,
  /**
   * Time for which a fetcher that takes over hosts waits for reports of their last fetcher, ms. Then it ends the
   * remaining leases of that fetcher.
   */
  takeOverMs: 1_000,
  /** Shortest time between two demand reports of a fetcher after a change, ms. */
  reportMs: 200,
  /** Longest time between two demand reports of a fetcher, ms. */
  reportAgainMs: 2_000,
  /** A fetcher without a report for this long counts as gone, ms: about three times the interval. */
  goneMs: 7_000,
  /** Leases that a fetcher would hold of a crawl that it has not seen yet. */
  firstLeases: 8,
  /** A crawl that could not be fetched here is retried after this time, ms. */
  againMs: 1_000,
} as const;
