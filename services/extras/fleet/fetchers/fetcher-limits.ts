/** Bounds of the fetchers of a fleet that are separate processes (services/extras/fleet/fetchers). */
export const fleetFetcherLimits = {
  /** Partitions of the tasks of a new fleet: no more fetchers than these have anything to do. */
  taskPartitions: 16,
  /** Of all partitions of a process, in one poll: thousands of tasks. */
  pollBytes: 1024 * 1024,
  pollWaitMs: 1_000,
  /** Interval at which the progress of leases is committed, ms: after a kill, later reports are repeated. */
  commitMs: 1_000,
  /**
   * How long a fetcher that takes over hosts waits for reports of their last fetcher before it ends that one's
   * leases, ms.
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
