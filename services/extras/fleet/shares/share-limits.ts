/** Limits of one crawl's share of the process that all crawls of a fleet run in. */
export const shareLimits = {
  /**
   * Longest decision, ms. A decision takes one or two ms, and about fifty under load. All other crawls wait for a longer
   * one.
   */
  decisionMsMax: 2_000,
  /** Longest decision after which a crawl need not rest, ms. */
  decisionMsFree: 50,
  /** After a longer decision, the crawl rests for its time multiplied by this factor. */
  restFactor: 4,
  /**
   * Rest of a crawl after each decision while its owner uses more than its share of a busy process, ms: inputs that
   * arrive meanwhile are decided together.
   */
  overRestMs: 250,
  /** Cost of a crawl's start: its policy, stores, topics and first decisions, ms. */
  startMs: 30,
  /** Longest wait of a start while the owner is above its share, ms. */
  startWaitMsMax: 10_000,
  /** Cost of explaining a URL of a crawl: its log is searched, ms. */
  explainMs: 10,
  /** Fixed cost of an API call: its head, its checks and its answer, ms. */
  callMs: 0.5,
  /** Cost of each megabyte of a call's body or answer: reading, parsing and dropping it, ms. */
  msPerMegabyte: 40,
  /** Cost of each megabyte of a crawl's log that a call reads: it is decoded, and most of it is not sent, ms. */
  readMsPerMegabyte: 10,
  /** Interval of the check whether a waiting call may go on, ms. */
  callLookMs: 250,
  /** Longest wait of a call of an owner above its share, ms: shorter than the patience of any client. */
  callWaitMsMax: 2_000,
  /** Most calls of an owner that wait; further calls are refused. */
  callsWaitingMax: 64,
  /**
   * Time after a refused crawl in which large calls of its owner for another one are refused unread, ms.
   */
  unreadMs: 5_000,
  /** Time for which a crawl that stopped the process is remembered, ms. */
  stopsMs: 86_400_000,
  /** Stops within that time after which all new crawls of their owner are held. */
  stopsOfOwner: 2,
  /** Most stops that are remembered, about 200 bytes each, in one document. */
  stopsMax: 1_000,
} as const;
