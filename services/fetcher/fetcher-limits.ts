/** Bounds on a fetcher's work. */
export const fetcherLimits = {
  /** Leases run at once: most of them wait out a delay, so many more than requests. */
  leasesMax: 1_000,
  /** Share of those leases that may wait for the address of their host: beyond it, names that nobody answers for come back. */
  namesShareMax: 0.25,
  /** Requests in flight: what one core can parse, with room for slow hosts. */
  requestsMax: 256,
  /** Repetitions of a request that nobody took: an idle connection that was closed, then one that wants HTTP/1.1. */
  repeatsMax: 2,
  /** The adaptive delay (factor × last duration) grows no further: slow pages must not park a host for minutes. */
  adaptiveDelayMaxMs: 30_000,
  /** Lease ids remembered per partition, to take each once: far more than a reader can see twice. */
  leaseIdsMax: 65_536,
  /** A grant time that is further ahead does not move a fetcher’s clock, ms: one wrong record would expire all later leases. */
  grantAheadMsMax: 3_600_000,
  /** Reports that were durable after their lease's deadline, kept for leases granted before: some MB, a thousand leases of ten URLs. */
  lateReportsMax: 10_000,
  /** robots.txt copies kept, and their bytes together: most have 1–5 kB, hostile ones 500 KiB. */
  robotsEntriesMax: 20_000,
  robotsEntriesBytesMax: 64 * 1024 * 1024,
  /** How long fetchers of one process share an answer for robots.txt: long enough for crawls that are started together. */
  robotsSharedMs: 3_600_000,
  /** While an old copy stands in, the host is asked again after this. */
  robotsStaleRecheckMs: 600_000,
  /** Processor time of one response that counts as ordinary: some ten times a page's. */
  ordinaryCostMs: 1.5,
  /** What a malformed response costs beside its bytes, ms: measured on a flood of headers. */
  brokenCostMs: 9,
  /** URLs of a page that are named, of those that a plugin left out: enough to see which kind it leaves out. */
  leftOutNamedMax: 5,
  /** Longer ones are not named: five of them stay below a kilobyte. */
  leftOutCharsMax: 200,
  /** What a link costs that is published, here and in the frontier, ms. */
  linkCostMs: 0.01,
  /** What a piece of a body costs, whatever its bytes, ms: two megabytes in chunks of one byte take half a second to read. */
  pieceCostMs: 0.25e-3,
  /** Longest wait of a host that took more than its share of the processor. */
  processorWaitMaxMs: 120_000,
  /** How often a sitemap that fails is requested, each time with another lease. */
  sitemapTriesMax: 3,
  /** Sitemaps of one host that are read: with 50,000 entries each, more than a host is crawled for in years. */
  sitemapsPerHostMax: 5_000,
  /** Sitemaps remembered over all hosts, about 200 B each. */
  sitemapsKnownMax: 100_000,
  /** If its robots.txt moved to another host, a lease waits this long for the answer: an idle host is leased in less. */
  robotsHopWaitMs: 1_000,
  /** After this it requests the hop again: longer than most leases of the other host last. */
  robotsHopAgainMs: 120_000,
  /**
   * How long another host's answer for a moved robots.txt is kept, where the answer is not that host's own robots.txt.
   */
  robotsMovedMs: 3_600_000,
  /**
   * How long that lease waits at most before it takes the file for unreachable: the other host may be blocked, or
   * closed for hours.
   */
  robotsHopPatienceMs: 600_000,
  /** Longest a finished page waits to be published. */
  flushMs: 25,
  /** Pages and links gathered before a flush starts early. */
  flushBytes: 1024 * 1024,
  /** Bytes gathered and not yet acked: beyond this, leases wait, so that a slow log cannot fill the memory. */
  publishBytesMax: 32 * 1024 * 1024,
  /** Link groups of one partition share a message up to about this: per-message cost dominates below, brokers refuse above 1 MB. */
  discoveredBytes: 256 * 1024,
  /** Outcomes wait at most this long for their lease to end: if a kill loses outcomes, their URLs are fetched again. */
  resultsMs: 200,
  /** Entries of the link cache: 9 B each. */
  linkCacheEntries: 262_144,
  /** Bodies up to this are parsed on the main thread: about 5 ms, less than it costs to move them. */
  inlineParseBytes: 256 * 1024,
  /** Reading more than links and text of a page is ended here after this, and begun again by a worker, ms: an ordinary page takes some 5 ms. */
  inlineRichMs: 30,
  /** Sites whose last page took longer: a worker parses their pages from the start. */
  dearSitesMax: 1_000,
  /** Where there is no second core, larger ones are cut at this: ten times what 2 MB of ordinary markup take. */
  inlineParseMs: 50,
  /** A PDF of some hundred pages takes a second or two; so does loading its reader, on a machine that is busy more. */
  pdfTimeoutMs: 10_000,
  /** What the first document of a site counts as, while others wait: an ordinary one. */
  newSiteReadMs: 100,
  /** Sites of which it is remembered what they cost a worker. */
  readSitesMax: 10_000,
  pdfLoadMs: 10_000,
  /** What the parts of an office file or a book may unpack to: a bomb of 10 MB unpacks to 10 GB, a long book to 10 MB of text. */
  officeBytesMax: 64 * 1024 * 1024,
  /** Parts of one that are looked at: books have hundreds. */
  officePartsMax: 10_000,
  /** A worker that parses one page for longer is killed. */
  parseTimeoutMs: 3_000,
  /** Name and value bytes of a page's text in one record: search needs no more, and brokers refuse messages above 1 MB. */
  textCharsMax: 100_000,
} as const;
