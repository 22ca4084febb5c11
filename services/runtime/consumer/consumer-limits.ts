/** Default bounds of a consumer of a crawl's topics. */
export const consumerLimits = {
  /** Records handed over at once: a database's transaction is then small change, and a retry repeats little. */
  batchRecords: 256,
  /** A batch waits this long to fill: seconds would show in a live index. */
  batchMs: 200,
  /** Bytes read at once: some hundred pages. */
  pollBytes: 4 << 20,
  /** An idle consumer checks for records this often. */
  pollMs: 1_000,
  /** 1, 5, 25 s: a hiccup, a restart, a failover. */
  retriesMs: [1_000, 5_000, 25_000],
} as const;
