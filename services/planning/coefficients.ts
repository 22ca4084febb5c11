/**
 * Measured costs of one core of the development machine (2 shared cores, Node 20), each with its source. `npm run bench
 * -- size` measures them again and prints the model's error. Another machine's cores differ by a factor that the same
 * command shows; bytes are the same everywhere.
 */

/** CPU, µs. */
export const cpuMicros = {
  /** A link that reaches the frontier, with 30 % of links new: `bench -- frontier`, 480,000 a second. */
  link: 2.1,
  /** The same where the seen test looks most of them up on disk: FIGURES §1, DRUM in batches of millions. */
  linkOnDisk: 2.5,
  /** A URL that is leased and resolved: `bench -- lease-cycle`, 53,000 to 76,000 a second. */
  lease: 16,
  /** A process until its code is compiled: what crawls of 3,600 to 20,000 pages cost beside their pages. */
  start: 1_500_000,
  /**
   * A page that is fetched, parsed and published on the embedded log: `bench -- fetch`, 0.41 ms a page, without the
   * above.
   */
  fetch: 294,
  /** A page on Kafka, in a fetcher, including its start: `bench -- crawl --kafka`, 8,000 pages. */
  fetchOnKafka: 310,
  /** Cost of a page to a frontier on Kafka apart from its decisions: reading, writing, encoding (the same bench). */
  frontierOnKafka: 160,
  /** A page on one broker that leads all partitions (the same bench). */
  broker: 300,
} as const;

/** A follower fetches and writes the records of its leader. Assumed to be half of a leader's work, not measured. */
export const followerShare = 0.5;

/** The share of a core that a process is planned to use: the rest is for bursts, restores and the garbage collector. */
export const busyShare = 0.6;

/** Memory, bytes: `bench -- size`, `bench -- hundred-million` (up to 36 M URLs, 1 M hosts), `bench -- crawl --kafka`. */
export const memoryBytes = {
  /** A process that does nothing yet: Node, its young generation, our code. */
  process: 230e6,
  /** Write buffers and caches of the stores fill with what is written … */
  perByteWritten: 1.5,
  /** … up to their size, for the state's and the log's. */
  storesMax: 320e6,
  /** A known URL while all fingerprints are in memory, including the spare room of a growing table. */
  url: 22,
  /** A known URL with its fingerprint on disk: the filter before it. */
  urlOnDisk: 2,
  /** `--seen-memory`, by default for some 20 million URLs (topology/policy/crawl-limits.ts). */
  seen: 1e9,
  /** A host with work, including its key. */
  host: 90,
  /** A fetcher on Kafka: connections, parser, link cache. */
  fetcher: 270e6,
  /** A host on lease: a timer, its task, its connection at times. */
  lease: 30e3,
} as const;

/** Disk, bytes: `bench -- size`. */
export const diskBytes = {
  /** State of a URL in a queue, including its fingerprint: `bench -- frontier`. */
  queuedUrl: 25,
  /** Bytes of a fetched URL's record. */
  fetchedPage: 215,
  /** The newest part of an embedded log is not compressed yet. */
  logTail: 48e6,
  /** Size of the remaining bytes after compression, for the synthetic web's text. Other text may shrink less. */
  compressed: 0.35,
} as const;

/** Bytes of the records on each topic, by what makes them: `bench -- size`, on the synthetic web (12.6 KB a page). */
export const recordBytes = {
  /** A page: its text and metadata. */
  pages: 10_850,
  /** On `discovered`: the source page's URL is written once for all its links to a host. */
  link: 114,
  results: 275,
  tasks: 52,
  /** A URL that is admitted, leased and resolved. */
  changelog: 190,
  /** A URL that is admitted and was never leased. */
  changelogAdmitted: 87,
} as const;

/** Defaults for the shape of the web and its pages. */
export const webDefaults = {
  /** Links of a page that reach the frontier. A page has 42; the fetcher's cache drops those that it sent recently. */
  linksPerPage: 12,
  /** Body of a page, bytes, and the share that gzip transfers. */
  pageBytes: 12_600,
  gzipShare: 0.3,
  /** Time from a request to the end of its response. */
  fetchMs: 200,
} as const;
