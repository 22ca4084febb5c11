/**
 * Finds the places of URLs that events on `control` name. It runs before the step, because queues are on disk.
 *
 * A large queue that is searched repeatedly gets an index (checkpoint/find-sole.ts); the result is the same.
 */
import type { Control } from '../../../../schemas/types.ts';
import { seenKey } from '../../../url/seen-key.ts';
import { findSole } from '../../checkpoint/find-sole.ts';
import { placesInFrontQueues, type Waiting } from '../../checkpoint/read-rows.ts';
import type { FrontierState } from '../../state/state.ts';
import type { StoreJob } from '../../storage/store-job.ts';
import { lowerPayload, purgePayload, raisePayload } from '../control-payloads.ts';
import type { Decision } from '../decision.ts';

/**
 * Places of the URLs of waiting events, by the offset of the event; all places for purged URLs. `except`: hosts with
 * front queues that are being given up.
 */
export function* findNamed(
  state: FrontierState,
  events: readonly { readonly offset: number; readonly record: unknown }[],
  except: ReadonlyMap<number, unknown>,
): StoreJob<Map<number, readonly Waiting[]>> {
  const found = new Map<number, readonly Waiting[]>();
  const taken = new Set<string>();
  for (const { offset, record } of events) {
    const event = record as Control | null;
    const url = event === null ? '' : urlOf(event);
    const host = url === '' ? undefined : state.hosts.get(event!.hostKey);
    if (host === undefined || except.has(host.id)) continue;
    const key = seenKey(url);
    // A second order in the same step finds the URL among those that came back, or were lowered. A purge looks for all
    // places itself, since the others take only one.
    const said = `${event!.kind} ${key}`;
    if (taken.has(said)) continue;
    taken.add(said);
    const isIt = (entry: { readonly url: string }) => entry.url === url || seenKey(entry.url) === key;
    const places =
      event!.kind === 'purge'
        ? yield* placesInFrontQueues(state, host.id, isIt, Number.POSITIVE_INFINITY)
        : yield* findSole(state, host.id, key, isIt);
    found.set(
      offset,
      places.map((place) => ({ ...place, host: host.id })),
    );
  }
  return found;
}

/** The URL that is to be found; empty: none. */
function urlOf({ kind, payload }: Control): string {
  if (kind === 'raise') return raisePayload(payload) ?? '';
  if (kind === 'lower') return lowerPayload(payload)?.url ?? '';
  return kind === 'purge' ? (purgePayload(payload)?.url ?? '') : '';
}

/** The places found, and those to which this step has lowered the URL since. */
export function alsoLowered(
  { lowered }: Decision,
  host: number,
  key: string,
  found: readonly Waiting[],
): readonly Waiting[] {
  if (lowered.length === 0) return found;
  return [...found, ...lowered.filter((one) => one.host === host && seenKey(one.entry.url) === key)];
}
