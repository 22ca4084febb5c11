/** Defaults of the policy (topology/policy/policy.ts); each may be set otherwise. */
export const policyLimits = {
  /** 5, 30, 300 s: a hiccup, a restart, an outage. */
  retriesMs: [5_000, 30_000, 300_000],
  /** Two broken pages may lie side by side; three answers in a row that the server failed are the server's. */
  serverErrorsMax: 3,
  /** One request a second is what hosts put up with unasked. */
  delayMs: 1_000,
  /** As in Mercator: the crawler takes at most a tenth of a host's time, whatever the host's size. */
  delayFactor: 10,
  /** One slow page must not park a host for minutes. */
  delayFactorCapMs: 30_000,
  /** A host that asks for more is not crawled in this run: at 30 s, 3,000 pages take a day. */
  crawlDelayCapMs: 30_000,
  /** Leases take about this long. A killed fetcher delays its hosts by at most twice this and 50 s (leaseMarginMs, clockSkewMs). */
  leadTimeMs: 30_000,
  /** A lease with validators stays far below a message of 1 MB: 64 × (2 KiB of URL and 1 KiB of validators). */
  urlsPerLeaseMax: 64,
  /**
   * At one URL per second for each of 10 hosts, this many queued URLs are work for weeks. Beyond it, the partition
   * stops reading links.
   */
  queuedMax: 10_000_000,
  /** A million URLs of one domain are work for eleven days at one a second; ten such domains are no accident. */
  queueShareMax: 0.1,
} as const;
