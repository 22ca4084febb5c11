/** How a crawl that this process watched came to its end. */

import type { CrawlEnd } from '../../../topology/frontier/ask/crawl-end.ts';
import type { Counters } from '../../../topology/frontier/changes/counters.ts';

export interface CrawlOutcome {
  readonly end: NonNullable<CrawlEnd> | 'stopped';
  readonly counters: Counters;
  readonly seconds: number;
}
