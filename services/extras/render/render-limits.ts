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
  /** Time for the screenshot of a page, ms: it is taken while the page may still run. */
  screenshotMs: 2_000,
  /** Bytes of a screenshot; a larger one is not kept, since a record has to fit into a message. */
  screenshotBytesMax: 96 << 10,
  /** Width of a screenshot, pixels: from the least that shows a layout to the width of the page. */
  screenshotPxMin: 160,
  screenshotPxMax: 1_280,
} as const;
