import type { OutcomeKind } from '../../../../schemas/types.ts';
import type { FinalStatus } from '../../changes/changes.ts';

/** Final outcomes, and the place in which the URL ends. */
export const finals: Partial<Record<OutcomeKind, FinalStatus>> = {
  fetched: 'page',
  notModified: 'page',
  redirect: 'redirected',
  robotsDenied: 'denied',
  clientError: 'failed',
  gone: 'failed',
  paymentRequired: 'failed',
  refused: 'failed',
  blockedAddress: 'failed',
  tooLarge: 'failed',
};
