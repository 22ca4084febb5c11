/** Bounds of the search index. */
export const indexLimits = {
  /**
   * Pages per transaction of the embedded index: about ten milliseconds, during which a crawl in the same process
   * waits.
   */
  embeddedBatch: 32,
  /** Bytes of one bulk request: the lower end of the 5 to 15 MB that OpenSearch recommends. */
  bulkBytes: 5 << 20,
  /** Timeout of a request, ms: a busy node takes seconds for a bulk of that size. */
  requestTimeoutMs: 60_000,
  /** URLs per answer when all URLs of an index are listed: some hundred kilobytes. */
  urlsPerSearch: 1_000,
  /** First and longest pause before a node without room is asked again, ms. */
  roomMs: 250,
  roomMsMax: 30_000,
  /** Results of a search, by default and at most. */
  hits: 10,
  hitsMax: 10_000,
  /** Longest search for a dashboard, ms: its reader has turned to other words by then. */
  searchMs: 20_000,
  /** Pages that are ranked first because their title begins with the query: more would not help. */
  titledMax: 20,
} as const;
