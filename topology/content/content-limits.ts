/** Bounds of comparing contents. */
export const contentLimits = {
  /** Pairs of words below which a text is only compared by its bytes: error pages and menus would all look alike. */
  featuresMin: 24,
  /** Pages handed to the dedup at once. */
  batchRecords: 128,
  /** Verdicts gathered before they are sent: a cluster of any size must not be held in memory. */
  publishedAtOnce: 1_000,
  /** Clusters with a representative in memory, about 400 B each; the others are looked up. */
  bestsMax: 100_000,
  /**
   * Hosts that keep their common MinHash values in memory, 0.5 kB each; those of other hosts are read from the store.
   */
  commonHostsMax: 10_000,
  /**
   * Pages of a path prefix after which its rate of duplicates is first reported; it is reported again at each doubling.
   */
  ratePagesMin: 16,
  /** Verdicts on duplicates that a summary reads, the newest ones; with more, its counts are the least there are. */
  duplicatesCountedMax: 500_000,
  /** Clusters that `duplicates` lists: a screen of small ones. */
  clusters: 10,
  /** Each listed cluster is held until all are printed. */
  clustersMax: 1_000,
  /** Pages shown of a cluster: `export duplicates` writes all. */
  clusterPagesShown: 20,
} as const;
