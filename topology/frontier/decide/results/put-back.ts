/** Returns a leased URL that was not tried to the queue that grants it next, without counting an attempt. */
import type { Entry } from '../../changes/entry.ts';
import type { Lease } from '../../state/state.ts';
import type { Decision } from '../decision.ts';
import { putPageBack } from './visits.ts';

export function putBack(decision: Decision, lease: Lease, index: number, entry: Entry): void {
  if (lease.pages.has(index)) return putPageBack(decision, lease, index, decision.nowMs);
  const disposition = { to: 'again', dueAtMs: 0, entry } as const;
  decision.emit({ kind: 'resolve', leaseId: lease.id, index, disposition, record: null });
}
