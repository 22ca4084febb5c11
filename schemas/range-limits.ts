/** Bounds of numbers in records: no producer means a value beyond them. */
export const rangeLimits = {
  /**
   * The last moment of JavaScript's Date, in the year 275,760: a later one is not a time, and sums of it are not exact.
   */
  dateMsMax: 8.64e15,
  /** Links in a row from a seed: no crawl gets this far, and a lease's links still count on from there. */
  depthMax: 1_000_000,
  /** Redirects in a row: policies allow 100, and each of them may continue from a redirect. */
  hopsMax: 1_000,
  /** A status has three digits: RFC 9110 §15. */
  statusMax: 999,
  /** A terabyte in one response: 8,000 of them still make an exact sum. */
  bytesMax: 2 ** 40,
  /** Pages, URLs, or ms (35 years): the sums over partitions stay exact. */
  amountMax: 2 ** 40,
  /** Six hours, as for the field of responses (topology/fetch/response-limits.ts): longer ones park a host. */
  retryAfterMsMax: 21_600_000,
  /** All cash comes from seeds, 1 each: no crawl has a trillion of them. */
  cashMax: 1e12,
} as const;
