/** Bounds of the search index. */
export const indexLimits = {
  /** Pages per transaction of the embedded index: some ten milliseconds, in which a crawl in the same process waits. */
  embeddedBatch: 32,
  /** Bytes of one bulk request: what OpenSearch recommends, 5 to 15 MB, at its lower end. */
  bulkBytes: 5 << 20,
  /** A bulk of that size takes a busy node seconds. */
  requestTimeoutMs: 60_000,
  /** URLs per answer where all of an index are listed: some hundred kilobytes. */
  urlsPerSearch: 1_000,
  /** First and longest pause before a node that had no room is asked again. */
  roomMs: 250,
  roomMsMax: 30_000,
  /** Hits that a search prints, by default and at most. */
  hits: 10,
  hitsMax: 10_000,
  /** Pages that come first because their title begins with the query: more would not help. */
  titledMax: 20,
} as const;
