/**
 * The part of the page quota that is not in the counters: the amount that this partition has asked for, and partition
 * 0's grants to each.
 */
import type { Change } from '../changes/changes.ts';
import type { Counters } from '../changes/counters.ts';

/** A row of the page quota's book, kept by partition 0: cumulative counts. */
export interface QuotaRow {
  readonly granted: number;
  readonly returned: number;
  readonly wanted: number;
  readonly version: number;
}

export class QuotaState {
  /** Pages that were asked for and not granted yet. */
  wanted = 0;
  /** The book of partition 0, by partition. */
  readonly book = new Map<number, QuotaRow>();

  apply(change: Change & { readonly kind: 'quota' | 'quotaBook' }, counters: Counters): void {
    if (change.kind === 'quotaBook') {
      this.book.set(change.partition, change);
      return;
    }
    counters.quotaGranted = change.granted;
    counters.quotaReturned = change.returned;
    this.wanted = change.wanted;
  }
}
