/** Bounds of a fleet's API (services/extras/fleet). */
export const fleetServiceLimits = {
  /** Crawls that exist at once, run or not: each that runs takes two stores and some megabytes. */
  crawlsMax: 1_000,
  /** Crawls that are opened at once when a fleet starts: opening is disk and processor. */
  startsAtOnce: 4,
  /** Table files that each of a crawl's two stores holds open. */
  openFiles: 32,
  /** Buffer of each before it becomes a file: a small crawl writes some megabytes in all. */
  bufferBytes: 4 << 20,
  cacheBytes: 4 << 20,
  /** Recent records of each crawl's log in memory, for readers that keep up: what they are behind by is some ms. */
  tailBytes: 1 << 20,
  /** What all crawls append gathers so long for one sync, ms: a page waits for some five of them. */
  journalMs: 5,
  /** Journal after which another file begins: what a start after a power cut reads, and holds in memory. */
  journalFileBytes: 64 * 1024 * 1024,
  /** Links that a crawl's fetcher remembers, 9 B each: a separate crawl has eight times as many. */
  linkCacheEntries: 32_768,
  /** Files and sockets that a crawl is counted with when it starts: those of its two stores, and what they hold open beside them. */
  crawlFiles: 96,
  /** The share of its descriptors up to which a fleet starts crawls: those that run need some more as they grow. */
  descriptorShareMax: 0.75,
  /**
   * Extra time for a lease in a fleet, ms: a light crawl among hundreds waits minutes for a place. A lease that expired earlier would be granted again for nothing. Leases of a dead process end at its next start.
   */
  leaseMarginMs: 600_000,
  /** A heavier crawl should be a separate fleet. */
  weightMax: 1_000,
  /** Seeds in one call. */
  seedsMax: 10_000,
  /** A call that makes a crawl: its seeds, and a policy with many rules. */
  bodyBytesMax: 4 * 1024 * 1024,
  /** What was done to a crawl is kept so often; the oldest are dropped. */
  changesMax: 1_000,
  /** Pages in one answer. */
  pagesMax: 1_000,
  /** An answer is over once it has so many characters of JSON lines: a page with its text has some ten thousand. */
  pagesCharsSoft: 8 * 1024 * 1024,
  /** Requests under way have so long to end when a crawl is paused or ended, ms. */
  graceMs: 5_000,
  /**
   * On Kafka a fleet starts no request, and ends those under way, so long before the session of its group could be over, ms: whoever
   * takes over then finds no request of it at any host.
   */
  sessionMarginMs: 4_000,
  /** Requests under way have so long to end there, ms: less than that margin. */
  handOverMs: 2_000,
  /** How often a process that stands by looks where the fleet runs, and one that runs it whether it may go on, ms. */
  standbyLookMs: 250,
  /** Of a host, what is to outlive the process is written if it holds for longer, ms: a restart takes as long. */
  factMsMin: 1_000,
  /** Hosts of which something is kept at most. */
  factsMax: 100_000,
  /** Idempotency keys of deleted crawls are kept for a day: clients try again within minutes. */
  deletedKeysMs: 86_400_000,
  /** So many at most, some 300 bytes each, in one document. */
  deletedKeysMax: 1_000,
} as const;
