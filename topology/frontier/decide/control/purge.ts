/**
 * Carries out an operator's purge of a host, or of one of its URLs: its waiting, leased and fetched URLs leave the
 * state, and links to them are refused from now on, even an operator's. A host that was released since may be purged
 * again. The place of a URL in a front queue is found before the step (find-named.ts).
 */
import type { Control } from '../../../../schemas/types.ts';
import { hostKeyOf } from '../../../url/host-key.ts';
import { seenKey } from '../../../url/seen-key.ts';
import { type HostFacts, newHostFacts, type PurgedFrom } from '../../changes/changes.ts';
import { isQueuedAt, type Waiting } from '../../checkpoint/read-rows.ts';
import { isLiftedPurge, purgePayload } from '../control-payloads.ts';
import type { Decision } from '../decision.ts';
import { isTroubled } from '../politeness.ts';
import { alsoLowered } from './find-named.ts';

const nowhere: PurgedFrom = { in: 'nowhere', a: 0, b: 0 };

export function decidePurge(decision: Decision, event: Control, waiting: readonly Waiting[]): void {
  const { state, policy } = decision;
  const { hostKey } = event;
  if (isLiftedPurge(event.payload)) return;
  const purged = purgePayload(event.payload);
  // Queues of a served crawl are deleted by its clients.
  if (purged === null || hostKey === '' || !decision.isByHost) return decision.tally('unknownControls');
  if (purged.url === '') {
    const before = state.hosts.get(hostKey)?.facts;
    if (before?.hold !== 'purged') purgeHost(decision, hostKey, before);
    return;
  }
  const url = policy?.normalize(purged.url) ?? purged.url;
  if (hostKeyOf(url) !== hostKey) return decision.tally('unknownControls');
  // A URL that was forced may be in several places.
  let from = placeOf(decision, hostKey, url, waiting);
  do {
    decision.emit({ kind: 'purge', hostKey, url, from });
    from = placeOf(decision, hostKey, url, waiting);
  } while (from.in !== 'nowhere');
}

/** The purge ends the host's trouble, but not the pause that came of it. */
function purgeHost(decision: Decision, hostKey: string, before: HostFacts = newHostFacts): void {
  decision.emit({ kind: 'purge', hostKey, url: '', from: nowhere });
  if (!isTroubled(before) || before.readyAtMs <= decision.nowMs || before.returns > 0) return;
  const { facts } = decision.state.hosts.get(hostKey)!;
  decision.emit({ kind: 'host', hostKey, facts: { ...facts, returns: 1 } });
}

function placeOf(decision: Decision, hostKey: string, url: string, waiting: readonly Waiting[]): PurgedFrom {
  const { state } = decision;
  const host = state.hosts.get(hostKey);
  if (host === undefined) return nowhere;
  const key = seenKey(url);
  for (const id of host.leaseIds) {
    const index = state.leases.get(id)!.entries.findIndex((entry) => entry !== null && seenKey(entry.url) === key);
    if (index >= 0) return { in: 'lease', a: id, b: index };
  }
  const again = host.queue.again.find(({ entry }) => seenKey(entry.url) === key);
  if (again !== undefined) return { in: 'again', a: 0, b: again.seq };
  const still = alsoLowered(decision, host.id, key, waiting).find(
    (one) => one.host === host.id && isQueuedAt(state, host.id, one.number, one.seq),
  );
  return still === undefined ? nowhere : { in: 'frontQueue', a: still.number, b: still.seq };
}
