/** Bounds of the HTTP side of a service: probes, metrics and queries of a handful of callers. */
export const httpLimits = {
  /** A request's body: a list of some ten thousand URLs. */
  bodyBytesMax: 1 << 20,
  /** Bytes of a too long body that are read and discarded before the answer. */
  refusedBytesMax: 64 << 20,
  /** A request that is not complete after this time is cut off, ms: slow clients must not hold sockets. */
  requestMs: 10_000,
  /** Bytes of unread answers of one caller: some calls of many pages at once. */
  unreadBytesMax: 64 << 20,
  /**
   * An answer of this many bytes that is not read within `unreadMs` is given up. Shorter answers fit into the
   * system's buffers.
   */
  watchedBytes: 64 << 10,
  unreadMs: 30_000,
  /** Connections that are accepted in a turn of the event loop: above the callers of any honest burst, some 50 µs each. */
  acceptsATurn: 16,
  /** Interval of the check for incomplete requests, ms: a slow one lives at most this much longer. */
  checkMs: 1_000,
  /** Longer than Prometheus's usual 15 s between scrapes, so that it keeps its connection. */
  keepAliveMs: 65_000,
  /** Time for current requests to end when a service stops, ms. */
  closeMs: 2_000,
  /** Shorter tokens can be guessed. */
  tokenCharsMin: 16,
  /** Time for another member to answer, ms. It takes milliseconds; a standby is asked afterwards. */
  passOnMs: 2_000,
  /** The same for a list of hosts, ms, which scans all of them: 10 million in slices take seconds. */
  listMs: 20_000,
  /** Partitions that a list queries at once: enough to hide round trips, without flooding a member. */
  listsAtOnce: 8,
  /** Time for brokers to answer a request, ms; then the last known state answers it. */
  knownMs: 500,
  /** Time for which the known members of a group are reused, ms. */
  membersMs: 1_000,
  /** Seconds until a retry is worthwhile, if a service is starting or runs elsewhere. */
  againS: 1,
} as const;
