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
  /** Appends of all crawls are collected for this long before one sync, ms: a page waits for about five of them. */
  journalMs: 5,
  /**
   * Bytes of journal after which a new file begins: a start after a power cut reads this much, and holds it in
   * memory.
   */
  journalFileBytes: 64 * 1024 * 1024,
  /** Links that a crawl's fetcher remembers, 9 B each: a separate crawl remembers eight times as many. */
  linkCacheEntries: 32_768,
  /** Files and sockets reserved for a crawl when it starts: those of its two stores, and others that they open. */
  crawlFiles: 96,
  /** Share of its descriptors up to which a fleet starts crawls: running crawls need some more as they grow. */
  descriptorShareMax: 0.75,
  /**
   * Extra time for a lease in a fleet, ms: a light crawl among hundreds waits minutes for a place. A lease that expired earlier would be granted again for nothing. Leases of a dead process end at its next start.
   */
  leaseMarginMs: 600_000,
  /** Largest weight; a heavier crawl should be a separate fleet. */
  weightMax: 1_000,
  /** Seeds in one call. */
  seedsMax: 10_000,
  /** Bytes of a call that creates a crawl: its seeds, and a policy with many rules. */
  bodyBytesMax: 4 * 1024 * 1024,
  /** Actions on a crawl that are kept; the oldest are dropped. */
  changesMax: 1_000,
  /** Pages in one answer. */
  pagesMax: 1_000,
  /** An answer ends once it has this many characters of JSON lines: a page with its text has about ten thousand. */
  pagesCharsSoft: 8 * 1024 * 1024,
  /** Time for current requests to end when a crawl is paused or ended, ms. */
  graceMs: 5_000,
  /**
   * On Kafka, a fleet starts no request, and ends current ones, this long before its group session could end, ms: its
   * successor then finds no request of it at any host.
   */
  sessionMarginMs: 4_000,
  /** Time for current requests to end in that case, ms: less than that margin. */
  handOverMs: 2_000,
  /** How often a standby process checks where the fleet runs, and the active one whether it may continue, ms. */
  standbyLookMs: 250,
  /** A host's pause is stored if it lasts longer than this, ms: a restart takes as long. */
  factMsMin: 1_000,
  /** Most hosts with stored pauses or Crawl-delays. */
  factsMax: 100_000,
  /** How long idempotency keys of deleted crawls are kept, ms: clients retry within minutes. */
  deletedKeysMs: 86_400_000,
  /** Most such keys, about 300 bytes each, in one document. */
  deletedKeysMax: 1_000,
} as const;
