/**
 * Carries out an operator's order that a URL goes first: the URL leaves its place in a front queue, or its wait for a
 * retry, and comes before everything else of its host. It is found by its seen key, however it is spelt.
 *
 * Where it waits in a front queue is looked up before the step (`findNamed`), as queues are on disk. Nothing happens to
 * a URL that does not wait (it is on lease, was fetched, or comes by a forced link), nor to a URL of a host that is
 * being given up on.
 */
import type { Control } from '../../../../schemas/types.ts';
import { seenKey } from '../../../url/seen-key.ts';
import { type FoundPlace, isQueuedAt, placesInFrontQueues } from '../../checkpoint/read-rows.ts';
import type { FrontierState } from '../../state/state.ts';
import type { StoreJob } from '../../storage/store-job.ts';
import { purgePayload, raisePayload } from '../control-payloads.ts';
import type { Decision } from '../decision.ts';

/** A URL in a front queue of its host. */
export interface Waiting extends FoundPlace {
  readonly host: number;
}

export function decideRaise(decision: Decision, { hostKey, payload }: Control, [waiting]: readonly Waiting[]): void {
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
  if (waiting === undefined || waiting.host !== host.id) return;
  const { number: frontQueue, seq, entry } = waiting;
  if (!isQueuedAt(state, host.id, frontQueue, seq)) return;
  decision.emit({ kind: 'expedite', hostKey, frontQueue, seq, entry: { ...entry, frontQueue: 0 } });
}

/** Where the URLs of waiting events are, by the event's offset, all places of what is purged; `except`: hosts whose front queues are being given up on. */
export function* findNamed(
  state: FrontierState,
  events: readonly { readonly offset: number; readonly record: unknown }[],
  except: ReadonlyMap<number, unknown>,
): StoreJob<Map<number, readonly Waiting[]>> {
  const found = new Map<number, readonly Waiting[]>();
  const taken = new Set<string>();
  for (const { offset, record } of events) {
    const event = record as Control | null;
    if (event?.kind !== 'raise' && event?.kind !== 'purge') continue;
    const url = event.kind === 'raise' ? raisePayload(event.payload) : (purgePayload(event.payload)?.url ?? null);
    const host = state.hosts.get(event.hostKey);
    if (url === null || url === '' || host === undefined || except.has(host.id)) continue;
    const key = seenKey(url);
    // A second raise in the same step finds the URL among those that came back. A purge looks for all places itself,
    // since a raise takes only one.
    const said = `${event.kind} ${key}`;
    if (taken.has(said)) continue;
    taken.add(said);
    const isIt = (entry: { readonly url: string }) => entry.url === url || seenKey(entry.url) === key;
    const most = event.kind === 'purge' ? Number.POSITIVE_INFINITY : 1;
    const places = yield* placesInFrontQueues(state, host.id, isIt, most);
    found.set(
      offset,
      places.map((place) => ({ ...place, host: host.id })),
    );
  }
  return found;
}
