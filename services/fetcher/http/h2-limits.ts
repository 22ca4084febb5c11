/** Bounds on HTTP/2 connections. */
export const h2Limits = {
  /** Header fields of a response: sites send a few dozen, and browsers accept thousands. */
  headerFieldsMax: 8_192,
  /**
   * The library's bound on the bytes of header fields, in multiples of ours: sizes between the two are reported
   * exactly.
   */
  headerListFactor: 4,
  /** Body bytes that a server may send before we have read any: a page at once. */
  streamWindowBytes: 256 * 1024,
  /** The same for all streams of a connection. */
  connectionWindowBytes: 512 * 1024,
  /** Interval of the check of connections, ms: an idle one is closed at most this late. */
  lookMs: 1_000,
  /** Silence during a request after which a connection gets a PING, ms: most responses come sooner. */
  silenceMs: 2_000,
  /** Wait for the answer to a PING, ms: with the silence before, well within the time for headers. */
  pingAnswerMs: 7_000,
  /** Remembered origins that require HTTP/1.1: a forgotten one costs another request. */
  http1OriginsMax: 10_000,
} as const;
