/** Bounds of a crawl's outputs by HTTP (services/extras/fleet/outputs). */
export const outputLimits = {
  /** Under way at once, of one owner and of all: each opens the crawl's log, and holds a row group or a record in memory. */
  ofOwnerMax: 2,
  outputsMax: 8,
  /** A client that takes nothing for so long is let go, ms: it holds a place that others may want. */
  stalledMs: 120_000,
} as const;
