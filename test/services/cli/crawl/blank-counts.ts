import { countsOf } from '../../../../topology/frontier/ask/crawl-counts.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';

export const blankCounts = countsOf(zeroCounters());
