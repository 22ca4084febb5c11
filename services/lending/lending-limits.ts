/** Bounds of the lease API (services/lending). */
export const lendingLimits = {
  /** URLs in one answer: what a client that fetches a thousand at once takes in a few turns. */
  leasesPerCallMax: 256,
  /** How long a call waits for a first URL: below what proxies and load balancers allow, half a minute or a minute. */
  waitMsMax: 25_000,
  /** The same while the crawl has nothing left: a client that goes by that learns of it soon, and none asks all the time. */
  idleWaitMs: 1_000,
  /** Once there is a first URL, the call waits this long for others, so that a client asks less often. */
  gatherMs: 5,
  /** The shortest time for which a URL is leased: a fetch on a slow line. */
  leaseMsMin: 1_000,
  /** Without a word of the client: most downloads and what is done with them, and what a killed client delays its hosts by. */
  leaseMs: 60_000,
  /** How often leases of silent clients are looked for. */
  sweepMs: 100,
  /** Hosts begun ahead for each URL that is asked for, so that the next call finds some that are ready. */
  hostsAheadFactor: 2,
  hostsAheadMin: 4,
  /** Hosts that are ready go back to the frontier when no client has asked for so long. */
  patienceMs: 10_000,
  /** Results and renewals in one call. */
  resultsPerCallMax: 1_000,
  /** URLs in one call, with a result or alone. */
  urlsPerCallMax: 10_000,
  /** Payload of a URL, in UTF-8: a request of Scrapy or Crawlee has some hundred bytes. */
  payloadBytesMax: 64 * 1024,
  /** A call with results or URLs: bodies of some pages, or 10,000 URLs with what is given along. */
  bodyBytesMax: 16 * 1024 * 1024,
  /** Text of a page. */
  textCharsMax: 100_000,
  /** Title of a page. */
  titleCharsMax: 10_000,
  /** Words of a client on a failure: a line or two. */
  detailCharsMax: 1_000,
  /** A header's name and value: no header that is looked at is longer. */
  headerNameCharsMax: 200,
  headerCharsMax: 8_192,
  /** Calls that wait at once: each costs a socket and about a kilobyte. */
  asksMax: 10_000,
  /** Leases that have ended and are remembered, so that a result that comes twice counts once. */
  endedMax: 100_000,
  /** About the size of a message in `discovered`, as fetchers make them. */
  messageBytesSoft: 256 * 1024,
} as const;
