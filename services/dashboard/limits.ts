/** Every bound of the dashboard, with its reason: a handful of people looking at one crawl. Times in ms. */
export const dashboardLimits = {
  /** A look a second, and a pause as long as a look takes: a crawl of many partitions gives it half of one core at most. */
  everyMs: 1_000,
  /** Dead letters change seldom, and freshness slowly. */
  deadLettersEveryMs: 5_000,
  /** Pages that are open at once; each holds a socket. */
  viewersMax: 64,
  /** Viewers of one address: nobody takes all places. A proxy counts as one address. */
  viewersOfClientMax: 16,
  /** A viewer is disconnected if its socket takes nothing for this many updates. */
  unreadMax: 10,
  /** Records of `results` read of a partition at a look, and outcomes of the last minute that are kept: a sample. */
  resultsPerLook: 32,
  outcomesKept: 2_000,
  /** Of the first look, over all partitions: who opens the page of a crawl that has ended sees why URLs failed. */
  resultsAtFirst: 512,
  /** Hosts with a kept newest failure, the newest first; and answers of one host that its page shows. */
  failuresKept: 1_000,
  hostOutcomes: 20,
  /** Records of `results` that the page of a host reads for them. */
  hostResults: 400,
  outcomesForMs: 60_000,
  /** Fetches shown by their URL. */
  fetchesShown: 12,
  /** Dead letters read from a partition, and shown. */
  deadLettersPerPartition: 50,
  deadLettersShownMax: 50,
  /** The frontier's past: the last hour of commits, sampled by this many reads over all partitions. */
  historyMs: 3_600_000,
  historyReads: 480,
  historyReadsMin: 8,
  historyPoints: 240,
  /** Enough to hide round trips to brokers. */
  historyPartitionsAtOnce: 8,
  /** Time without news of the crawl after which the page says that a broker may be away. */
  patienceMs: 5_000,
  /** Another service that is asked for all of it has this long. */
  remoteMs: 30_000,
  /** The last look at a crawl that ends may take this long. */
  overMs: 2_000,
  /** Hosts of a table, and characters of what is searched for. */
  hostsMax: 200,
  searchCharsMax: 200,
  /** Events of a URL's story: a page that comes back for years has many. */
  timelineEvents: 500,
} as const;
