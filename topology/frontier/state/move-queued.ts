/** A URL that waits leaves its place in its host's queue for a better one. */
import type { Change } from '../changes/changes.ts';
import { placeOf } from './place-of.ts';
import type { FrontierState, Host } from './state.ts';

/**
 * Moves a queued URL. `raise`, `lower`: to the end of another front queue. `expedite`: before all of them. Settle the
 * host afterwards.
 */
export function moveQueued(
  state: FrontierState,
  host: Host,
  change: Change & { kind: 'raise' | 'expedite' | 'lower' },
): void {
  const { queues, counters, hosts } = state;
  const { kind, hostKey, frontQueue, entry } = change;
  counters[placeOf(hosts, host, queues.takeOut(host.id, change), frontQueue ?? 0)] -= 1;
  if (kind === 'expedite') queues.putAgain(host.id, 0, entry);
  else queues.frontQueues.push(host.id, hostKey, entry);
  counters[placeOf(hosts, host, 0, kind === 'expedite' ? 0 : entry.frontQueue)] += 1;
}
