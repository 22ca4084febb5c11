/** Bounds of rendering pages in a browser. */
export const renderLimits = {
  /** Time for one page, ms: its scripts are loaded one after another, each after its host's delay. */
  pageMs: 30_000,
  /** If nothing is requested for this long, the page counts as complete, ms. */
  quietMs: 500,
  /** Requests of one page: bundles and data, not a site's tail of trackers. */
  requestsMax: 40,
  bodyBytesMax: 10 << 20,
  /** Bundles are the same for all pages of a site. */
  cacheBytesMax: 64 << 20,
  cacheMs: 3_600_000,
  linkCacheEntries: 100_000,
} as const;
