/** Gives up a URL of a lease: writes a dead letter, and its record. */
import type { DeadLetterReason, OutcomeKind } from '../../../../schemas/types.ts';
import type { Entry } from '../../changes/entry.ts';
import type { Lease } from '../../state/state.ts';
import type { Decision } from '../decision.ts';

export function giveUp(
  decision: Decision,
  lease: Lease,
  index: number,
  entry: Entry,
  reason: DeadLetterReason,
  outcome: OutcomeKind,
  httpStatus: number,
  detail: string,
): void {
  const { url, attempts, depth, tags, spelling } = entry;
  const { nowMs: atMs } = decision;
  decision.deadLetters.push({
    reason,
    sourceTopic: 'results',
    sourcePartition: decision.identity.partition,
    sourceOffset: decision.state.positions.results.offset,
    url,
    hostKey: lease.host.key,
    attempts,
    lastOutcome: outcome,
    status: httpStatus,
    depth,
    detail,
    atMs,
    original: Buffer.alloc(0),
    tags: decision.state.tagSets.tagsOf(tags),
  });
  decision.emit({
    kind: 'resolve',
    leaseId: lease.id,
    index,
    disposition: { to: 'final', status: 'dead' },
    record: {
      url,
      status: 'dead',
      outcome,
      httpStatus,
      atMs,
      attempts,
      depth,
      etag: '',
      lastModified: '',
      contentHash: '',
      soft404: false,
      ...(tags !== undefined && { tags }),
      ...(spelling !== undefined && { spelling }),
    },
  });
}
