/** Limits for agents (services/extras/fleet/agents). */
export const mcpLimits = {
  /** Pages of one crawl without `--pages-max`: enough for a manual. A shop has more pages than an agent needs. */
  pagesMax: 1_000,
  /** Most crawls of agents that run at once. It also stops an agent that a page has talked into crawling the web. */
  runningMax: 16,
  /** Most crawls of agents that are kept. Beyond it, the oldest crawl that does not run is deleted. */
  keptMax: 200,
  /** Most characters of a page in one answer, about ten thousand tokens, and the default, a quarter of it. */
  readCharsMax: 40_000,
  readChars: 10_000,
  hitsMax: 50,
  hits: 10,
  /** URLs in one answer: the most, and the default. */
  urlsMax: 1_000,
  urls: 200,
  /** Most characters in the words of a search. */
  wordsCharsMax: 1_000,
} as const;
