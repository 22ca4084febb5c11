/** Bounds inside the frontier. */
export const frontierLimits = {
  /** Commits between checks of the state: a check costs 20 µs, so one in sixteen adds about 1 µs to a commit. */
  checkEvery: 16,
  /** A commit takes no more input beyond this; with what one input may still add it stays below 512 KiB (docs/design.md §4.1). */
  commitBytesSoft: 256 * 1024,
  /** Links that a step checks ahead for the seen test: about 8 ms. */
  askLinksPerStep: 16_384,
  /** Hosts of waiting domains that a step takes off the clock: about a millisecond. */
  parkedPerStep: 1_024,
  /** One fetch in this many of a host is from another front queue than the best: it costs the best 0.2 %. */
  otherQueueEvery: 512,
  /** Budget keys that a step checks for deferred URLs to return: about a millisecond. */
  budgetKeysPerStep: 256,
  /** Leases expire this long after their deadline: what two machines' clocks may differ by under NTP, with room. */
  clockSkewMs: 5_000,
  /**
   * No lease expires for this time after an owner's opening: results that fetchers reported while the partition had no
   * owner are read first, as long as a log may take to deliver them.
   */
  expiryHoldMs: 10_000,
  /** Leases of a single URL that expire before it counts as poison: one may be a fetcher's own crash. */
  expiriesMax: 3,
  /** A page that says it is good for longer than 30 days is asked for again all the same: some are marked so once and for all. */
  freshSMax: 30 * 86_400,
  /** A visit waits at most this many days (ten years) for a day with room, so that the search ends. */
  dueDaysMax: 3_650,
  /** Smallest share of a host, in URLs: one lease's worth, even if the partition's queue is small. */
  queueShareLeast: 64,
  /** URLs of dead hosts given up per step, so that no step pauses the partition. */
  abandonsPerStep: 256,
  /** Hosts that may wait, and that a new policy moves in one step: about 20 ms. */
  hostsMovedPerStep: 4_096,
  /** Pages that wait, and that a policy with another `recrawl` moves in one step: about 5 ms, and 60 KiB. */
  pagesRetimedPerStep: 512,
  /** Queued URLs that are read and scored again for each that may have grown: 0.7 µs each. */
  growthUrlsEach: 32,
  /** The same for one step: about 3 ms. */
  growthUrlsPerStep: 4_096,
  /** Holes that URLs which went to better front queues leave in a host's queue: its row in the checkpoint holds them. */
  growthRaisesMax: 2_048,
  /** Hosts with a count of queued URLs that have grown: 1.6 MB. */
  growingHostsMax: 16_384,
  /** One batch of the checkpoint: some milliseconds of work, and small enough for the cheaper way of writing it. */
  checkpointSliceBytes: 224 * 1024,
  /** Memory for queued URLs that are on disk as well, per partition: about a million of the newest. */
  queueMemoryBytes: 64 * 1024 * 1024,
  /** URLs with a recorded time in the queue, about 60 bytes each: shares of URLs are exact to a hundredth. */
  queueAgeSamples: 4_096,
  /** Hosts checked once a second for the metrics of their queues: half a millisecond. */
  queueHostsPerLook: 8_192,
  /** URLs of a host's queue that a query about one URL reads: about 10 ms, while the partition waits. */
  queryUrlsMax: 20_000,
  /** URLs of one page of a host's queue, or hosts of a list. */
  queryPageMax: 1_000,
  /** Hosts that a list reads between two steps: about 4 ms. */
  hostsPerLook: 16_384,
  /** How long an unreachable host counts as dead, ms: the lifetime of a robots.txt verdict, RFC 9309 §2.4. */
  deadHostMs: 24 * 3_600_000,
  /**
   * Added to twice the time that a lease should take: the request timeout (30 s), and the way through the log in both
   * directions.
   */
  leaseMarginMs: 45_000,
  /** Robots hops that wait for a host, at most 12 KiB each: fetchers ask again later for more. */
  robotsHopsMax: 64,
  /** URLs on the first lease of a host: how quick it is, and what its robots.txt asks, is not known yet. */
  firstLeaseUrls: 8,
  /**
   * Sitemaps read per lease, after its pages: they take the host's time, and a few of them at once bring work for
   * hours.
   */
  sitemapsPerLeaseMax: 8,
} as const;
