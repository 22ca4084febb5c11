/**
 * Carries out an operator's order that a URL goes first: the URL leaves its place in a front queue, or its wait for a
 * retry, and comes before everything else of its host. It is found by its seen key, however it is spelt.
 *
 * Where it waits in a front queue is looked up before the step (find-named.ts), as queues are on disk. Nothing happens to
 * a URL that does not wait (it is on lease, was fetched, or comes by a forced link), nor to a URL of a host that is
 * being given up on.
 */
import type { Control } from '../../../../schemas/types.ts';
import { seenKey } from '../../../url/seen-key.ts';
import { isQueuedAt, type Waiting } from '../../checkpoint/read-rows.ts';
import { raisePayload } from '../control-payloads.ts';
import type { Decision } from '../decision.ts';
import { alsoLowered } from './find-named.ts';

export function decideRaise(decision: Decision, { hostKey, payload }: Control, found: readonly Waiting[]): void {
  const { state } = decision;
  const url = raisePayload(payload);
  if (url === null) return decision.tally('unknownControls');
  const host = state.hosts.get(hostKey);
  if (host === undefined) return;
  const key = seenKey(url);
  const again = host.queue.again.find(({ entry }) => seenKey(entry.url) === key);
  if (again !== undefined) {
    const { seq, entry } = again;
    if (again.dueAtMs > 0)
      decision.emit({ kind: 'expedite', hostKey, frontQueue: null, seq, entry: { ...entry, frontQueue: 0 } });
    return;
  }
  const waiting = alsoLowered(decision, host.id, key, found).find(({ number, seq }) =>
    isQueuedAt(state, host.id, number, seq),
  );
  if (waiting === undefined) return;
  const { number: frontQueue, seq, entry } = waiting;
  decision.emit({ kind: 'expedite', hostKey, frontQueue, seq, entry: { ...entry, frontQueue: 0 } });
}
