/** Bounds of the lease API (services/extras/lending). */
export const lendingLimits = {
  /** URLs in one response: a client that fetches a thousand at once needs a few calls. */
  leasesPerCallMax: 256,
  /**
   * Longest wait of a call for a first URL: below the timeouts of proxies and load balancers, half a minute or a
   * minute.
   */
  waitMsMax: 25_000,
  /**
   * The same while the crawl has no work: short, so that a client that ends with the crawl ends soon, and long enough
   * to limit polling.
   */
  idleWaitMs: 1_000,
  /** Once there is a first URL, the call waits this long for others, so that a client asks less often. */
  gatherMs: 5,
  /** The shortest time for which a URL is leased: a fetch on a slow line. */
  leaseMsMin: 1_000,
  /**
   * Default lease without a renewal: enough for most downloads and their processing, and the delay that a killed client
   * causes.
   */
  leaseMs: 60_000,
  /** Interval of the check for expired leases. */
  sweepMs: 100,
  /** Hosts that are prepared for each requested URL, so that the next call finds ready ones. */
  hostsAheadFactor: 2,
  hostsAheadMin: 4,
  /** Time without a call after which ready hosts go back to the frontier. */
  patienceMs: 10_000,
  /** Results and renewals in one call. */
  resultsPerCallMax: 1_000,
  /** URLs in one call, with a result or alone. */
  urlsPerCallMax: 10_000,
  /** Payload of a URL, in UTF-8: a request of Scrapy or Crawlee has some hundred bytes. */
  payloadBytesMax: 64 * 1024,
  /** A call with results or URLs: bodies of some pages, or 10,000 URLs with their payloads. */
  bodyBytesMax: 16 * 1024 * 1024,
  /** Text of a page. */
  textCharsMax: 100_000,
  /** Title of a page. */
  titleCharsMax: 10_000,
  /** A client's description of a failure: a line or two. */
  detailCharsMax: 1_000,
  /** A header's name and value: no header that the crawl reads is longer. */
  headerNameCharsMax: 200,
  headerCharsMax: 8_192,
  /** Calls that wait at once: each costs a socket and about a kilobyte. */
  asksMax: 10_000,
  /** Leases that have ended and are remembered, so that a result that comes twice counts once. */
  endedMax: 100_000,
  /** About the size of a message in `discovered`, as fetchers make them. */
  messageBytesSoft: 256 * 1024,
} as const;
