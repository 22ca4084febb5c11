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
  /** Header and trailer bytes: the limit of Chromium. Curl takes 300 KB. */
  headerBytesMax: 256 * 1024,
  /** Bytes of the name of one of them, and of its value: curl takes 100 KB for both. */
  headerFieldBytesMax: 100_000,
  /** Body bytes kept, on the wire and again after decompression: text beyond it is a dump, not a page (99 % have less than 1 MB). */
  bodyBytesMax: 2 * 1024 * 1024,
  /** The largest value that an operator may set for it. */
  bodyBytesMost: 64 * 1024 * 1024,
  /** Memory that a body gets without a claim: nine pages in ten need no more. */
  bodyFreeBytes: 256 * 1024,
  /** Memory that larger bodies under way may take together; each claims the most that it may need. */
  bodiesBytesMax: 256 * 1024 * 1024,
  /** Time for reading responses in one turn of the event loop; the other ready ones wait for the next turns. */
  readMsOfTurn: 25,
  /** Content codings of one response: one is usual, two happen; curl has the same limit. */
  codingLayersMax: 5,
  /** RFC 9659 §3: senders of zstd must not ask for a larger window. */
  zstdWindowBytesMax: 8 * 1024 * 1024,
  /** Bytes of an unwanted body that are read to keep the connection; for more, closing is cheaper. */
  drainBytesMax: 64 * 1024,
  /**
   * Origins with an open connection: file descriptors are finite, and most hosts are contacted again only after their
   * servers' idle timeout.
   */
  clientsMax: 1_000,
  /** Idle connections are closed after this: longer than a polite delay, shorter than most servers' patience. */
  keepAliveMs: 10_000,
  /** Idle time after which a server may close a connection just when it is used again. */
  idleRaceMs: 100,
  /** Time after the request within which such a close arrives, or a round trip if that is longer. */
  idleRaceLateMs: 50,
  /** Addresses of one name that are kept: enough to fail over, however many a zone lists. */
  addressesMax: 8,
  /** Time limit of a look-up: most servers answer within 200 ms, and a connection has as long in addition. */
  dnsDeadlineMs: 5_000,
  /** Simultaneous look-ups, and those of one registrable domain: its servers answer most of them, or none. */
  lookupsMax: 512,
  lookupsPerDomainMax: 4,
  /** Names in the DNS cache, about 150 B each. */
  dnsEntriesMax: 100_000,
  /** Shortest and longest time an answer is believed: zones with TTL 0 would cost a lookup per connection. */
  dnsTtlMinMs: 60_000,
  dnsTtlMaxMs: 3_600_000,
  /** Time for which a failed look-up is cached: RFC 2308 allows five minutes, but retries should notice a repair. */
  dnsNegativeTtlMs: 30_000,
} as const;
