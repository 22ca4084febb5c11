/** A Crawl-delay of robots.txt above the policy's limit: a host that asks for it is held, and not fetched from. */

/** Both in ms; a limit of 0 means none, and a delay of 0 or less is ignored. */
export function isCrawlDelayTooLong(
  crawlDelayMs: number,
  { crawlDelayCapMs }: { readonly crawlDelayCapMs: number },
): boolean {
  return crawlDelayCapMs > 0 && crawlDelayMs > crawlDelayCapMs;
}
