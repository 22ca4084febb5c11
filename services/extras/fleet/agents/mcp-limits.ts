/** Bounds of what agents may do and see (services/extras/fleet/agents). */
export const mcpLimits = {
  /** Pages of one crawl, unless `--pages-max` says otherwise: a manual has so many, a shop has more than an agent needs. */
  pagesMax: 1_000,
  /** Crawls of tools that run at once: an agent must stop, even if a page says to crawl the web. */
  runningMax: 16,
  /** Crawls of tools that are kept: for one more, the oldest that does not run is deleted. */
  keptMax: 200,
  /** Characters of a page in one answer, and unless a call says otherwise: some ten thousand tokens, and a quarter of it. */
  readCharsMax: 40_000,
  readChars: 10_000,
  hitsMax: 50,
  hits: 10,
  /** URLs of one answer. */
  urlsMax: 1_000,
  urls: 200,
  /** Characters of words to search for. */
  wordsCharsMax: 1_000,
} as const;
