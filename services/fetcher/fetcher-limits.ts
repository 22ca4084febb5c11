/** Bounds on a fetcher's work. */
export const fetcherLimits = {
  /** Simultaneous leases: most of them wait for a delay, so there are many more than requests. */
  leasesMax: 1_000,
  /** Share of those leases that may wait for the address of their host. Beyond it, leases wait aside: they take no place. */
  namesShareMax: 0.25,
  /** Wait for a name after which further leases wait aside, ms: most names are known in a fifth of it. */
  namesSlowMs: 1_000,
  /** Leases that wait aside, about 5 kB each: at a hundred unanswered look-ups a second, their wait is below a minute. */
  namesAsideMax: 4_000,
  /** Part of that line for domains with few names in it: one with thousands of names does not keep the others out. */
  namesKeptForFew: 0.25,
  /** Look-ups that wait for others, up to which the name of a lease that returns is looked up all the same. */
  namesAheadMax: 256,
  /** Requests in flight: as many as one core can parse, with room for slow hosts. */
  requestsMax: 256,
  /** Repetitions of an unprocessed request: for a closed idle connection, and for one that requires HTTP/1.1. */
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
  /** Time for which fetchers of one process share a robots.txt: long enough for crawls that are started together. */
  robotsSharedMs: 3_600_000,
  /** Interval of requests for a newer robots.txt while an old copy is used. */
  robotsStaleRecheckMs: 600_000,
  /** Processor time of an ordinary response, ms: about ten times that of a page. */
  ordinaryCostMs: 1.5,
  /** Cost of a malformed response beside its bytes, ms: measured on a flood of headers. */
  brokenCostMs: 9,
  /** Listed URLs of a page among those that a plugin left out: enough to recognize their kind. */
  leftOutNamedMax: 5,
  /** Longer URLs are not listed: five of them stay below a kilobyte. */
  leftOutCharsMax: 200,
  /** Cost of a published link, here and in the frontier, ms. */
  linkCostMs: 0.01,
  /**
   * Cost of a chunk of a body, whatever its bytes, ms: two megabytes in chunks of one byte take half a second to read.
   */
  pieceCostMs: 0.25e-3,
  /** Longest wait of a host that took more than its share of the processor. */
  processorWaitMaxMs: 120_000,
  /** Requests for a failing sitemap, each within another lease. */
  sitemapTriesMax: 3,
  /** Sitemaps of one host that are read: with 50,000 entries each, more than are fetched from a host in years. */
  sitemapsPerHostMax: 5_000,
  /** Sitemaps remembered over all hosts, about 200 B each. */
  sitemapsKnownMax: 100_000,
  /** Wait of a lease for a robots.txt that moved to another host: an idle host is leased in less. */
  robotsHopWaitMs: 1_000,
  /** Time after which the lease requests the hop again: longer than most leases of the other host last. */
  robotsHopAgainMs: 120_000,
  /** Time for which another host's answer for a moved robots.txt is kept, if it is not that host's robots.txt. */
  robotsMovedMs: 3_600_000,
  /**
   * Longest wait of that lease before the file counts as unreachable: the other host may be blocked, or closed for
   * hours.
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
  /**
   * Reports of one flush with which all results go, if the log takes an append as a whole: an append, and the
   * frontier's decision on it, cost as much as the results of some pages.
   */
  resultsWithReportsMax: 4,
  /** Entries of the link cache: 9 B each. */
  linkCacheEntries: 262_144,
  /** Bodies up to this are parsed on the main thread: about 5 ms, less than it costs to move them. */
  inlineParseBytes: 256 * 1024,
  /** Reading more than links and text of a page is ended here after this, and begun again by a worker, ms: an ordinary page takes some 5 ms. */
  inlineRichMs: 30,
  /** Sites with a last page that took longer than that: a worker parses their pages from the start. */
  dearSitesMax: 1_000,
  /** Time limit for these pages without a second core, ms: ten times that of 2 MB of ordinary markup. */
  inlineParseMs: 50,
  /** A PDF of some hundred pages takes a second or two. Loading the parser takes as long, on a busy machine longer. */
  pdfTimeoutMs: 10_000,
  /** Assumed cost of the first document of a site while others wait: that of an ordinary one. */
  newSiteReadMs: 100,
  /** Sites with a remembered cost in a worker. */
  readSitesMax: 10_000,
  pdfLoadMs: 10_000,
  /** A worker that parses one page for longer is killed. */
  parseTimeoutMs: 3_000,
  /** Characters of a page's text in its record: search needs no more, and brokers refuse messages above 1 MB. */
  textCharsMax: 100_000,
} as const;
