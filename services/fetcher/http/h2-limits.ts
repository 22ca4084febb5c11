/** Bounds on HTTP/2 connections. */
export const h2Limits = {
  /** Header fields of a response, whatever they hold: sites send a few dozen, and browsers take thousands. */
  headerFieldsMax: 8_192,
  /** The library's bound on the bytes of header fields, in multiples of ours: what lies between is reported exactly. */
  headerListFactor: 4,
  /** Body bytes that a server may send before we have read any: a page in one go. */
  streamWindowBytes: 256 * 1024,
  /** The same of all streams of a connection. */
  connectionWindowBytes: 512 * 1024,
  /** How often connections are looked at, ms: bounds how late an idle one is closed. */
  lookMs: 1_000,
  /** Silence after which a connection that had served before is asked whether it lives, ms: most answers come sooner. */
  silenceMs: 4_000,
  /** How long an answer to that may take, ms: with the silence before, well within the time for headers. */
  pingAnswerMs: 5_000,
  /** Origins that are known to want HTTP/1.1: one that is forgotten costs one request more. */
  http1OriginsMax: 10_000,
} as const;
