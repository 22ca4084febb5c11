/** Reads the rows of URLs that a client rescheduled: of those that were just leased, and of a queue's, page by page. */
import type { Entry } from '../changes/entry.ts';
import { unread } from '../hosts/lease.ts';
import { entryOfRow } from '../pull/known-rows.ts';
import type { Rescheduled } from '../queues/rescheduled-list.ts';
import { knownKeyOf } from '../state/reschedule.ts';
import type { FrontierState, Host } from '../state/state.ts';
import type { StoreJob } from '../storage/store-job.ts';

/** Rows read at once: some milliseconds. */
export const rescheduledPerRead = 512;

/** Fills in the leases. */
export function* readLeasedRows(state: FrontierState): StoreJob {
  const { pull, leases } = state;
  while (pull.reads.length > 0) {
    const some = pull.reads.slice(0, rescheduledPerRead);
    const entries = yield* readRows(
      state,
      some.map(({ key }) => key),
    );
    pull.reads.splice(0, some.length);
    some.forEach(({ leaseId, index }, at) => {
      const lease = leases.get(leaseId);
      // In a replay, it may have ended or been reported by now.
      if (lease?.entries[index] === unread) lease.entries[index] = entries[at]!;
    });
  }
}

export interface RescheduledUrl extends Pick<Rescheduled, 'dueAtMs' | 'seq'> {
  readonly entry: Entry;
}

/** Up to `rescheduledPerRead` URLs of a queue after the place, in order. */
export function* listRescheduled(
  state: FrontierState,
  host: Host,
  { dueAtMs, seq }: Pick<Rescheduled, 'dueAtMs' | 'seq'>,
): StoreJob<RescheduledUrl[]> {
  const found: Rescheduled[] = [];
  for (const one of host.queue.rescheduled?.behind(dueAtMs, seq) ?? []) {
    if (found.length === rescheduledPerRead) break;
    found.push(one);
  }
  const entries = yield* readRows(
    state,
    found.map((one) => knownKeyOf(state, host.id, one)),
  );
  return found.map(({ dueAtMs, seq }, at) => ({ dueAtMs, seq, entry: entries[at]! }));
}

function* readRows({ pull }: FrontierState, keys: readonly Buffer[]): StoreJob<Entry[]> {
  const rows = keys.map((key) => pull.known.recent(key));
  const missing = keys.filter((_, at) => rows[at] === undefined);
  const values = missing.length === 0 ? [] : yield { read: missing };
  let next = 0;
  return rows.map((row, at) => {
    const value = row ?? values[next++];
    if (value == null) throw new Error(`row ${keys[at]!.toString('hex')} is missing: it belongs to a rescheduled URL`);
    return entryOfRow(value);
  });
}
