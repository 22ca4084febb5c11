/** Limits of a fleet (services/extras/fleet). */
export const fleetServiceLimits = {
  /** Most crawls, running or not. A running crawl has two stores, and takes some megabytes. */
  crawlsMax: 1_000,
  /** Most crawls that a starting fleet opens at once: opening takes disk and CPU. */
  startsAtOnce: 4,
  /** Most table files that each of a crawl's two stores keeps open. */
  openFiles: 32,
  /**
   * Write buffer of each store, bytes. A store holds up to two of them, a crawl has two stores, and forty owners run
   * over a hundred crawls: at 4 MiB, the buffers alone can take 2 GB.
   */
  bufferBytes: 1 << 20,
  /** Cache of each store for blocks that were read, bytes. */
  cacheBytes: 1 << 20,
  /** Bytes of recent records of each crawl's log in memory, for readers that keep up: these are some ms behind. */
  tailBytes: 1 << 20,
  /** Time for which appends of all crawls are collected before one sync, ms. A page waits for about five syncs. */
  journalMs: 5,
  /**
   * Bytes of journal after which a new file begins: a start after a power cut reads this much, and holds it in
   * memory.
   */
  journalFileBytes: 64 * 1024 * 1024,
  /** Links that a crawl's fetcher remembers, 9 B each. A crawl outside a fleet remembers eight times as many. */
  linkCacheEntries: 32_768,
  /** Files and sockets reserved for a crawl when it starts: those of its two stores, and others that they open. */
  crawlFiles: 96,
  /** Share of its descriptors up to which a fleet starts crawls: running crawls need some more as they grow. */
  descriptorShareMax: 0.75,
  /**
   * Extra time for a lease in a fleet, ms. A crawl of low weight waits minutes for a place, and an expired lease would be
   * granted again for nothing. Leases of a dead process end at its next start.
   */
  leaseMarginMs: 600_000,
  /** Largest weight; a heavier crawl should be a separate fleet. */
  weightMax: 1_000,
  /** Most seeds in one call. */
  seedsMax: 10_000,
  /** Most bytes of a call that creates a crawl: its seeds, and a policy with many rules. */
  bodyBytesMax: 4 * 1024 * 1024,
  /** Most stored changes of a crawl; the oldest are dropped. */
  changesMax: 1_000,
  /** Most pages in one answer. */
  pagesMax: 1_000,
  /** An answer ends once it has this many characters of JSON lines: a page with its text has about ten thousand. */
  pagesCharsSoft: 8 * 1024 * 1024,
  /** Time for current requests to end when a crawl is paused or ended, ms. */
  graceMs: 5_000,
  /**
   * Time before the possible end of its group session at which a fleet on Kafka starts no more requests, and ends
   * current ones, ms. So no request is active when its successor starts.
   */
  sessionMarginMs: 4_000,
  /** Time for current requests to end in that case, ms: less than that margin. */
  handOverMs: 2_000,
  /** How often a standby process checks where the fleet runs, and the active one whether it may continue, ms. */
  standbyLookMs: 250,
  /** A host's pause is stored if it lasts longer than this, ms: a restart takes about as long. */
  factMsMin: 1_000,
  /** Most hosts with stored pauses or Crawl-delays. */
  factsMax: 100_000,
  /** How long idempotency keys of deleted crawls are kept, ms: clients retry within minutes. */
  deletedKeysMs: 86_400_000,
  /** Most such keys, about 300 bytes each, in one document. */
  deletedKeysMax: 1_000,
} as const;
