/** Numbers in records from outside: the last that is taken as it is, and the first that is not. */
import { blankControl, blankLinkGroup, blankOutcome, blankRequest, blankResult } from '../../schemas/blank.ts';
import type { rangeLimits } from '../../schemas/range-limits.ts';
import type { Control, LinkGroup, Outcome, Request } from '../../schemas/types.ts';
import { enterRecord } from '../../topology/border/enter-record.ts';
import { type BoundaryTable, upTo } from './boundary.ts';

const isAsItWas = (result: Partial<typeof blankResult>) => {
  const record = { ...blankResult, ...result };
  return enterRecord('results', record).record === record;
};
const outcome = (given: Partial<Outcome>) => isAsItWas({ outcomes: [{ ...blankOutcome, ...given }] });
const request = (given: Partial<Request>) => isAsItWas({ requests: [{ ...blankRequest, ...given }] });
const group = (given: Partial<LinkGroup>) => {
  const record = { groups: [{ ...blankLinkGroup, ...given }] };
  return enterRecord('discovered', record).record === record;
};
const control = (given: Partial<Control>) => {
  const record = { ...blankControl, ...given };
  return enterRecord('control', record).record === record;
};

export const rangeBoundaries: BoundaryTable<typeof rangeLimits> = {
  dateMsMax: upTo((startMs) => request({ startMs })),
  depthMax: upTo((depth) => group({ depth })),
  hopsMax: upTo((hop) => group({ hop })),
  statusMax: upTo((status) => outcome({ status })),
  bytesMax: upTo((bytes) => outcome({ bytes })),
  amountMax: upTo((amount) => control({ amount })),
  retryAfterMsMax: upTo((retryAfterMs) => outcome({ retryAfterMs })),
  cashMax: upTo((share) => group({ share })),
};
