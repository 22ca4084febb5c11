/** A Crawl-delay of robots.txt above the policy's limit: a host that asks for it is held, and not fetched from. */

/** Both in ms; a limit of 0 is none, and so is a delay of 0 or less. */
export function isCrawlDelayTooLong(
  crawlDelayMs: number,
  { crawlDelayCapMs }: { readonly crawlDelayCapMs: number },
): boolean {
  return crawlDelayCapMs > 0 && crawlDelayMs > crawlDelayCapMs;
}
