/**
 * Decides whether there is room to queue a new URL. It runs before the admission, so that a dropped URL leaves no
 * fingerprint and the next link to it gets the same chance. It uses only counts (docs/design.md §4.11).
 * - `urlsPerHostMax` of one host: always dropped, because a full host must not block others. Tally `hostFull`.
 * - `queuedMax` of the partition. `pause`: nothing is dropped, and `discovered` is not read until leases have made
 *   room. `dropLowest`: reading continues; the fuller the queue, the more front queues are dropped, the lowest first.
 *   Tally `queueFull`.
 *
 * URLs that were deferred for their host's share (queue-share.ts) and may be drawn now come after all others, and take
 * up no room. An operator's URL (intent `force`) always has room.
 */

import type { PolicyConfig } from '../../../policy/policy.ts';
import { frontQueueCount } from '../../../url/front-queue.ts';
import type { Counters } from '../../changes/counters.ts';

/** True while `discovered` must wait for leases to make room. */
export function isFull(
  { queued, retrying }: Pick<Counters, 'queued' | 'retrying'>,
  opened: number,
  { queuedMax, whenFull = 'pause' }: PolicyConfig,
): boolean {
  return whenFull === 'pause' && queued - opened + retrying >= queuedMax;
}

/** The tally a URL of `frontQueue` is dropped under, on a host with `hostQueued` URLs; null: it has room. */
export function dropOf(
  { queued, retrying }: Counters,
  opened: number,
  { queuedMax, whenFull }: PolicyConfig,
  urlsPerHostMax: number | null,
  hostQueued: number,
  frontQueue: number,
): 'hostFull' | 'queueFull' | null {
  if (urlsPerHostMax !== null && hostQueued >= urlsPerHostMax) return 'hostFull';
  if (whenFull === 'dropLowest' && queued - opened + retrying >= queuedMax * frontQueueShare(frontQueue))
    return 'queueFull';
  return null;
}

/**
 * How full the queue may be before a front queue is refused: completely for the first, a sixteenth less for each one
 * below.
 */
function frontQueueShare(frontQueue: number): number {
  return 1 - Math.min(frontQueue, frontQueueCount - 1) / (2 * frontQueueCount);
}
