/** Bounds of the consumers of a crawl, each with its reason. Units are in the names. */

/** Bounds of a consumer of a crawl's topics; each may be set otherwise. */
export const consumerLimits = {
  /** Records handed over at once: a database's transaction is then small change, and a retry repeats little. */
  batchRecords: 256,
  /** A batch waits this long to fill: seconds would show in a live index. */
  batchMs: 200,
  /** Bytes read at once: some hundred pages. */
  pollBytes: 4 << 20,
  /** An idle consumer looks around this often. */
  pollMs: 1_000,
  /** 1, 5, 25 s: a hiccup, a restart, a failover. */
  retriesMs: [1_000, 5_000, 25_000],
} as const;

/** Bounds of the archive. */
export const archiveLimits = {
  /** A WARC file is closed at this length: what the WARC guidelines recommend, and one upload. */
  fileBytes: 1 << 30,
  /** Bytes of a response's body in its message: the topic takes messages of 8 MB, and no body kept is longer. */
  bodyBytesMax: 2 * 1024 * 1024,
  /** Bytes of one record of a WARC file that is read back: far above the bodies kept here, below what fits in memory. */
  recordBytesMax: 256 * 1024 * 1024,
  /** Uploads are tried again after these; then the file stays where it is until the next start. */
  uploadRetriesMs: [1_000, 5_000, 30_000],
} as const;

/** Bounds of comparing contents. */
export const contentLimits = {
  /** Pairs of words below which a text is only compared by its bytes: error pages and menus would all look alike. */
  featuresMin: 24,
  /** Pages handed to the dedup at once. */
  batchRecords: 128,
  /** Verdicts gathered before they are sent: a cluster of any size must not be held in memory. */
  toldAtOnce: 1_000,
  /** Clusters whose representative is held in memory, about 400 B each; the others are looked up. */
  bestsMax: 100_000,
  /** Hosts of which is held in memory what their pages have in common, 0.5 kB each; the others are looked up. */
  commonHostsMax: 10_000,
  /** Pages of a path prefix before its rate of duplicates is told; and again at each doubling. */
  ratePagesMin: 16,
} as const;

/** Bounds of the search index. */
export const indexLimits = {
  /** Pages per transaction of the embedded index: some ten milliseconds, in which a crawl in the same process waits. */
  embeddedBatch: 32,
  /** Bytes of one bulk request: what OpenSearch recommends, 5 to 15 MB, at its lower end. */
  bulkBytes: 5 << 20,
  /** A bulk of that size takes a busy node seconds. */
  requestTimeoutMs: 60_000,
  /** First and longest pause before a node that had no room is asked again. */
  roomMs: 250,
  roomMsMax: 30_000,
  /** Hits a search prints unless told otherwise, and at most. */
  hits: 10,
  hitsMax: 10_000,
  /** Pages whose title begins with what was typed that come before all others: more would be no answer. */
  titledMax: 20,
} as const;

/** Bounds of the link graph. */
export const graphLimits = {
  /** Pages written at once: some 10 kB of rows. */
  batchRecords: 256,
} as const;

/** Bounds of rendering pages in a browser. */
export const renderLimits = {
  /** For one page, ms: its scripts come one after another, each after its host's delay. */
  pageMs: 30_000,
  /** Nothing asked for this long: the page is as it will be, ms. */
  quietMs: 500,
  /** Requests of one page: bundles and data, not a site's tail of trackers. */
  requestsMax: 40,
  bodyBytesMax: 10 << 20,
  /** Bundles are the same for all pages of a site. */
  cacheBytesMax: 64 << 20,
  cacheMs: 3_600_000,
  linkCacheEntries: 100_000,
} as const;

/** What an audit forgives, ms. */
export const auditLimits = {
  /** Between the clocks of two fetchers: machines that keep time by NTP are within it. */
  skewMs: 100,
  /** Until an operator's order, or what one lane of a host learns, is known everywhere. */
  noticeMs: 10_000,
} as const;
