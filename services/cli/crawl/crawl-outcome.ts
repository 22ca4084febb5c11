/** How a crawl that this process watched came to its end. */
import type { Counters } from '../../../topology/frontier/counters.ts';
import type { CrawlEnd } from '../../../topology/frontier/crawl-end.ts';

export interface CrawlOutcome {
  readonly end: NonNullable<CrawlEnd> | 'stopped';
  readonly counters: Counters;
  readonly seconds: number;
}
