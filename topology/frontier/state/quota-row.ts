import type { Change } from '../changes/changes.ts';
import type { Counters } from '../changes/counters.ts';

/** A row of the page quota's book, kept by partition 0: cumulative counts. */
export interface QuotaRow {
  readonly granted: number;
  readonly returned: number;
  readonly wanted: number;
  readonly version: number;
}

export function applyQuota(state: QuotaState, change: Change & { readonly kind: 'quota' | 'quotaBook' }): void {
  if (change.kind === 'quotaBook') {
    state.quotaBook.set(change.partition, change);
    return;
  }
  state.counters.quotaGranted = change.granted;
  state.counters.quotaReturned = change.returned;
  state.quotaWanted = change.wanted;
}

interface QuotaState {
  readonly counters: Counters;
  readonly quotaBook: Map<number, QuotaRow>;
  quotaWanted: number;
}
