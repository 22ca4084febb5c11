/** Limits of a crawl's outputs by HTTP (services/extras/fleet/outputs). */
export const outputLimits = {
  /**
   * Most outputs under way, of one owner and of all owners. Each opens the crawl's log, and keeps a row group or a record
   * in memory.
   */
  ofOwnerMax: 2,
  outputsMax: 8,
  /** Time after which a client that reads nothing is disconnected, ms: its place may be needed by others. */
  stalledMs: 120_000,
} as const;
