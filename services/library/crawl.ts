/**
 * A crawl inside another program: the application that `crawlstream crawl` runs, over a log and stores in memory. It
 * ends with the process; for crawls that must survive that, use `crawlstream crawl`.
 */
import type { CrawlOptions } from './crawl-options.ts';
import { MemoryCrawl } from './memory-crawl.ts';
import { type CrawlResult, RunningCrawl } from './running-crawl.ts';

export type { CrawlResult, RunningCrawl };

/**
 * Runs until nothing is left to fetch. The promise resolves with the counts of the crawl; it rejects with
 * INVALID_ARGUMENT or INVALID_SEED. Iterate over it for the pages, or give `onPage`.
 */
export function crawl(options: CrawlOptions): RunningCrawl {
  return RunningCrawl.begin(() => {
    const run = new MemoryCrawl(options);
    return { counters: run.whole(), controls: run };
  });
}
