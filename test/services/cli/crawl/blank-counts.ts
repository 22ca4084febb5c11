import { countsOf } from '../../../../services/cli/inspect/counters-text.ts';
import { zeroCounters } from '../../../../topology/frontier/changes/counters.ts';

export const blankCounts = countsOf(zeroCounters());
