/** Bounds of the fetchers of a fleet that are separate processes (services/extras/fleet/fetchers). */
export const fleetFetcherLimits = {
  /** Partitions of the tasks of a new fleet: no more fetchers than these have anything to do. */
  taskPartitions: 16,
  /** Of all partitions of a process, in one poll: thousands of tasks. */
  pollBytes: 1024 * 1024,
  pollWaitMs: 1_000,
  /** How often the progress of leases is committed, ms: after a kill, later reports are repeated. */
  commitMs: 1_000,
  /** A fetcher that takes hosts over waits so long for what their last one has reported before it ends that one's leases, ms. */
  takeOverMs: 1_000,
  /** Fetchers say how many leases they would hold no more often than this, where that has changed, ms */
  reportMs: 200,
  /** and no less often than this, whether it has changed or not, ms. */
  reportAgainMs: 2_000,
  /** One that has said nothing for so long is gone, ms: some three times that. */
  goneMs: 7_000,
  /** Leases of a crawl that a fetcher would hold which has not seen it yet. */
  firstLeases: 8,
  /** A crawl that could not be fetched here is tried again after so long, ms. */
  againMs: 1_000,
} as const;
