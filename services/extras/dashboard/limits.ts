/** Every bound of the dashboard, with its reason: a handful of people looking at one crawl. Times in ms. */
export const dashboardLimits = {
  /** A look a second, and a pause as long as a look takes: a crawl of many partitions gives it half of one core at most. */
  everyMs: 1_000,
  /** Dead letters change seldom, and freshness slowly. */
  deadLettersEveryMs: 5_000,
  /** Pages that are open at once; each holds a socket. */
  viewersMax: 64,
  /** Viewers of one address, so that none takes all places. A proxy counts as one address. */
  viewersOfClientMax: 16,
  /** A viewer is disconnected if its socket takes nothing for this many updates. */
  unreadMax: 10,
  /** Records of `results` read of a partition at a look, and outcomes of the last minute that are kept: a sample. */
  resultsPerLook: 32,
  outcomesKept: 2_000,
  /** The first read of `results`, over all partitions. It makes the page of an ended crawl show why URLs failed. */
  resultsAtFirst: 512,
  /** Hosts with a stored newest failure, newest first; and results of one host on its page. */
  failuresKept: 1_000,
  hostOutcomes: 20,
  /** Records of `results` that the page of a host reads to find its own. */
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
  /** Results that are read of the last hour, over all partitions; spans of time, and hosts, that their errors fill. */
  errorReads: 240,
  errorReadsMin: 4,
  errorPoints: 60,
  errorHosts: 10,
  /** Records that a list of URLs without a page reads at most; reasons of the list, URLs of each, and characters of a detail. */
  failureRecordsMax: 300_000,
  failureReasons: 40,
  failureUrls: 100,
  failureDetailChars: 200,
  /** Enough to hide round trips to brokers. */
  historyPartitionsAtOnce: 8,
  /** Time without news of the crawl after which the page says that a broker may be away. */
  patienceMs: 5_000,
  /** Time limit of a full response from another service. */
  remoteMs: 30_000,
  /**
   * If all that is left are URLs of hosts that were blocked here, the crawl ends this long after the last look at it:
   * time to reload the page, or to think.
   */
  heldOpenMs: 600_000,
  /** Time limit of the last read of a crawl that ends. */
  overMs: 2_000,
  /** Seeds, or dead letters, of one call. */
  sentAtOnce: 100,
  /** Hosts in trouble that the page begins with, and hosts with errors among which it finds them: some are held. */
  worstHosts: 3,
  worstHostsLooked: 50,
  /** Hosts of a table, and characters of a search. */
  hostsMax: 200,
  searchCharsMax: 200,
  /** Characters of a page's text, and links, beside its record: enough to recognise a page. */
  textChars: 65_536,
  linksShownMax: 500,
  /** Pages found by their words, and clusters of duplicates: what a person looks through. */
  hits: 20,
  clusters: 50,
  /** Hosts and connections on a map: more names do not fit beside each other, and more lines hide each other. */
  mapHosts: 40,
  mapEdges: 150,
  /** The search for the links of a page: time between the append of the page and of its links, and bytes that it reads. */
  linksApartMs: 60_000,
  linkReadBytes: 32 << 20,
  /** Events in the history of a URL: a page that is refetched for years has many. */
  timelineEvents: 500,
} as const;
