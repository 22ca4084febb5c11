/** Bounds of the HTTP side of a service: probes, metrics and queries of a handful of callers. */
export const httpLimits = {
  /** A request's body: a list of some ten thousand URLs. */
  bodyBytesMax: 1 << 20,
  /** Of a body that is too long, so much more is read to nowhere before the answer says so. */
  refusedBytesMax: 64 << 20,
  /** A request that is not whole by then is cut off: slow clients hold no sockets. */
  requestMs: 10_000,
  /** Answers of one caller that wait to be read: some calls of many pages at once. */
  unreadBytesMax: 64 << 20,
  /** An answer of so much that is not read for `unreadMs`, or no byte of it, is given up; shorter ones fit into the system's buffers. */
  watchedBytes: 64 << 10,
  unreadMs: 30_000,
  /** How often requests are looked at that are not whole yet: a slow one lives at most so much longer. */
  checkMs: 1_000,
  /** Longer than Prometheus's usual 15 s between scrapes, so that it keeps its connection. */
  keepAliveMs: 65_000,
  /** Requests under way have this long to end when a service stops. */
  closeMs: 2_000,
  /** Shorter tokens can be guessed. */
  tokenCharsMin: 16,
  /** Another member that is asked has this long to answer, which takes milliseconds; then a standby is asked. */
  passOnMs: 2_000,
  /** The same for a list of hosts, which looks at all of them: 10 million in slices take seconds. */
  listMs: 20_000,
  /** Partitions that a list asks at once: enough to hide round trips, and no member is flooded. */
  listsAtOnce: 8,
  /** Brokers have this long to answer a request of a moment; then it is answered by what was known before. */
  knownMs: 500,
  /** What is known of a group's members is used this long. */
  membersMs: 1_000,
  /** Seconds after which what is not up yet, or runs elsewhere, is worth another call. */
  againS: 1,
} as const;
