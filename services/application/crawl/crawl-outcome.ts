/** The outcome of a crawl that this process watched. */

import type { CrawlEnd } from '../../../topology/frontier/ask/crawl-end.ts';
import type { Counters } from '../../../topology/frontier/changes/counters.ts';
import type { HeldTrap } from '../../frontier/own/held-traps.ts';
import type { DuplicatePages } from '../../runtime/crawl/duplicate-counts.ts';

export interface CrawlOutcome {
  readonly end: NonNullable<CrawlEnd> | 'stopped';
  readonly counters: Counters;
  /** Counters of the partitions that this process owned. */
  readonly traps: readonly HeldTrap[];
  /** Duplicate pages that the dedup has found so far; null: it has written nothing. */
  readonly duplicates: DuplicatePages | null;
  readonly seconds: number;
}
