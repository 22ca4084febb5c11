/** Bounds on one request and its response. */
export const requestLimits = {
  /** Name lookup and connection: a host that takes longer is as good as down. */
  connectTimeoutMs: 10_000,
  /** Time from the request being sent to complete headers, however slowly they come. */
  headersTimeoutMs: 15_000,
  /** The largest value that an operator may set for it: a body needs time, too, before the whole request must be over. */
  headersTimeoutMost: 25_000,
  /** Longest silence inside a body. */
  bodyIdleTimeoutMs: 10_000,
  /** Start to completion; also how long before its deadline a lease starts its last request. */
  totalTimeoutMs: 30_000,
  /** A body that came at this rate until its time was over is kept as cut: below, it is a drip, and the request failed. */
  steadyBytesPerS: 1_000,
  /** Header and trailer bytes: large policies and cookies fit, a flood does not. */
  headerBytesMax: 64 * 1024,
  /** Body bytes kept, on the wire and again after decompression: text beyond it is a dump, not a page (99 % have less than 1 MB). */
  bodyBytesMax: 2 * 1024 * 1024,
  /** The largest value that an operator may set for it. */
  bodyBytesMost: 64 * 1024 * 1024,
  /** Memory that a body gets without a claim: nine pages in ten need no more. */
  bodyFreeBytes: 256 * 1024,
  /** Memory that larger bodies under way may take together; each claims the most that it may need. */
  bodiesBytesMax: 256 * 1024 * 1024,
  /** Answers are read for so long in one turn of the event loop; the rest of those ready waits for the next turns. */
  readMsOfTurn: 25,
  /** Content codings on one response: one is usual, two happen; curl takes so many, too. */
  codingLayersMax: 5,
  /** RFC 9659 §3: senders of zstd must not ask for a larger window. */
  zstdWindowBytesMax: 8 * 1024 * 1024,
  /** Bytes of an unwanted body that are read off so that the connection lives; beyond, closing is cheaper. */
  drainBytesMax: 64 * 1024,
  /** Origins with a connection kept open: file descriptors are finite, and most hosts come back later than servers wait. */
  clientsMax: 1_000,
  /** Idle connections are closed after this: longer than a polite delay, shorter than most servers' patience. */
  keepAliveMs: 10_000,
  /** A connection that lay idle for so long may be closed by its server in the moment in which it is used again. */
  idleRaceMs: 100,
  /** The end of such a connection is there so soon after the request was written, or within a round trip. */
  idleRaceLateMs: 50,
  /** Addresses of one name that are kept: enough to fail over, whatever a zone holds. */
  addressesMax: 8,
  /** A look-up of a name ends after this: most servers answer within 200 ms, and a connection has as long for itself. */
  dnsDeadlineMs: 5_000,
  /** Names looked up at once, and of one registrable domain: its own servers answer most of them, or none. */
  lookupsMax: 512,
  lookupsPerDomainMax: 4,
  /** Names in the DNS cache, about 150 B each. */
  dnsEntriesMax: 100_000,
  /** Shortest and longest time an answer is believed: zones with TTL 0 would cost a lookup per connection. */
  dnsTtlMinMs: 60_000,
  dnsTtlMaxMs: 3_600_000,
  /** How long a failed lookup is believed: RFC 2308 allows five minutes, retries should notice a repair. */
  dnsNegativeTtlMs: 30_000,
} as const;
