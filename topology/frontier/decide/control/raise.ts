/**
 * Raises a URL at an operator's order: it leaves its place in a front queue, or its wait for a retry, and moves to
 * the first place of its host. It is found by its seen key, in any spelling.
 *
 * Its place in a front queue is found before the step (find-named.ts), because queues are on disk. A URL that does
 * not wait (on lease, fetched, or arriving by a forced link) is not affected, nor is a URL of a host that is being
 * given up.
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
