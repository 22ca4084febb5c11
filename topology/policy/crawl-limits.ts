/** Defaults of the `crawl` command. */
export const crawlLimits = {
  /** Hosts fetched from at once: most of them wait out a delay, which costs a timer and about 2 kB each. */
  leasesMax: 1_000,
  /** Time between starts on one address: many small hosts share one machine, which bears the load of all. */
  addressDelayMs: 100,
  /** Appends gather this long for one sync: a sync costs about 0.15 ms of CPU, a page waits for a few of them. */
  groupIntervalMs: 2,
  /** Retries of one URL, and the longest wait before one: thirty days, beyond any crawl's patience. */
  retriesMax: 20,
  retrySecondsMax: 30 * 86_400,
  /** The longest --delay: one request a day. */
  delayMsMax: 86_400_000,
  /** Partitions of a crawl: each costs its owner a RocksDB, some MB of memory and a few dozen files. */
  partitionsMax: 1_024,
  /** Warm copies of each partition: each takes its owner's memory and disk once more. */
  standbysMax: 8,
  /** The most hosts fetched from at once: about 2 kB each, and no more sockets than a process may have. */
  concurrencyMax: 100_000,
  /**
   * Memory for known URLs: 20 M of them in full, beyond that 2 bytes each up to about 200 M. It is allocated on
   * demand.
   */
  seenMemoryMb: 1_024,
  seenMemoryMbMin: 16,
  seenMemoryMbMax: 1 << 20,
  /**
   * Seeds per request if there are many: some megabytes in the command inbox of a data folder, a dozen appends to
   * brokers.
   */
  seedsPerRequest: 50_000,
  /** Links published per page: indexes of large manuals have some 20,000. */
  linksPerPage: 50_000,
  linksPerPageMax: 1_000_000,
} as const;
