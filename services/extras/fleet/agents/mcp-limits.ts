/** Bounds of what agents may do and see (services/extras/fleet/agents). */
export const mcpLimits = {
  /** Pages of one crawl without `--pages-max`: enough for a manual. A shop has more pages than an agent needs. */
  pagesMax: 1_000,
  /** Crawls of tools that run at once: an agent must be stopped even if a page says to crawl the web. */
  runningMax: 16,
  /** Crawls of tools that are kept; beyond it, the oldest one that does not run is deleted. */
  keptMax: 200,
  /** Most characters of a page in one answer, about ten thousand tokens, and the default, a quarter of it. */
  readCharsMax: 40_000,
  readChars: 10_000,
  hitsMax: 50,
  hits: 10,
  /** URLs in one answer: the most, and the default. */
  urlsMax: 1_000,
  urls: 200,
  /** Characters of words to search for. */
  wordsCharsMax: 1_000,
} as const;
