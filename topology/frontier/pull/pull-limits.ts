/** Bounds of the pull API (topology/frontier/pull). */
export const pullLimits = {
  /** A get adds to a commit up to here, so that puts that fill commits don't keep it waiting (docs/design.md §4.1: 512 KiB). */
  commitBytesForGets: 384 * 1024,
  /** URLs a queue gives at once: they are in memory until their client reports them. */
  urlsPerLeaseMax: 10_000,
  /** URLs looked for on disk before a step: a few milliseconds. */
  placesPerRead: 512,
  /** Queues of at most this many waiting URLs are searched: 0.4 µs a URL. Larger ones are indexed. */
  searchedUrlsMax: 64,
  /** Making an index costs as much as this many searches, so a queue that is searched more often is indexed. */
  searchesPerIndex: 16,
  /** Hosts with counted searches, 50 bytes each. */
  searchedHostsMax: 10_000,
  /** Places in the indexes of a partition, 19 bytes each: queues beyond it are searched. */
  indexedPlacesMax: 4_000_000,
  /** A URL that a client puts: the longest that browsers and servers agree on. */
  urlCharsMax: 8_192,
  /** A queue's name, in UTF-8. */
  keyBytesMax: 1_024,
  /** Metadata of one URL: ten times the size of a crawler's own data about a page. */
  metadataBytesMax: 64 * 1024,
  /** URLs of one stream that are not acked yet; then its client waits. */
  putsUnderWay: 8_192,
  /** Queues asked for at once: their URLs are in memory until the client has taken them. */
  queuesPerGet: 1_024,
  /** Crawl ids of one server: each is a separate frontier, some MB of memory. */
  crawlsMax: 1_000,
  /** Interval at which a process checks for crawl ids that another process created, ms. */
  crawlsRefreshMs: 2_000,
  /** Rows of a queue read between two steps, and URLs listed from memory: a millisecond. */
  listRowsPerLook: 8,
  listUrlsPerLook: 1_024,
  /** Appends gather this long for one sync: a client waits for it, and a sync costs 0.15 ms of CPU. */
  groupIntervalMs: 2,
} as const;
