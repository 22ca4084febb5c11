/**
 * Lowers a URL at an operator's order: it moves from its place in a front queue, or from the front place of a raised
 * URL, to the end of another front queue.
 *
 * A URL that waits for a retry, is on lease, or was fetched is not affected. Neither is a deferred URL (beyond a
 * budget, or in a trap), because it would be fetched sooner. The place of the URL was found before the step
 * (find-named.ts).
 */
import type { Control } from '../../../../schemas/types.ts';
import { frontQueueCount } from '../../../url/front-queue.ts';
import { seenKey } from '../../../url/seen-key.ts';
import { isQueuedAt, type Waiting } from '../../checkpoint/read-rows.ts';
import { lowerPayload } from '../control-payloads.ts';
import type { Decision } from '../decision.ts';
import { alsoLowered } from './find-named.ts';

export function decideLower(decision: Decision, { hostKey, payload }: Control, found: readonly Waiting[]): void {
  const { state } = decision;
  const lower = lowerPayload(payload);
  if (lower === null) return decision.tally('unknownControls');
  const host = state.hosts.get(hostKey);
  if (host === undefined) return;
  const { url, frontQueue: to } = lower;
  const key = seenKey(url);
  const again = host.queue.again.find(({ entry }) => seenKey(entry.url) === key);
  if (again !== undefined) {
    if (again.dueAtMs > 0) return;
    return move(decision, host.id, hostKey, null, again.seq, { ...again.entry, frontQueue: to });
  }
  const waiting = alsoLowered(decision, host.id, key, found).find(
    ({ number, seq }) => number < frontQueueCount && isQueuedAt(state, host.id, number, seq),
  );
  if (waiting === undefined || waiting.number === to) return;
  move(decision, host.id, hostKey, waiting.number, waiting.seq, { ...waiting.entry, frontQueue: to });
}

function move(
  decision: Decision,
  host: number,
  hostKey: string,
  frontQueue: number | null,
  seq: number,
  entry: Waiting['entry'],
): void {
  const { frontQueues } = decision.state.queues;
  decision.emit({ kind: 'lower', hostKey, frontQueue, seq, entry });
  const { tail } = frontQueues.extent(frontQueues.list.find(host, entry.frontQueue));
  // Other events of the same step were looked up before this URL moved.
  decision.lowered.push({ host, number: entry.frontQueue, seq: tail - 1, entry });
}
