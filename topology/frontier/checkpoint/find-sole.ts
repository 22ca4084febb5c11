/**
 * Finds one URL by its seen key in the front queues of a host: with an index if that pays, or else by reading the
 * queues from their heads. Both give the same result, so no decision depends on what is in memory. If the index is
 * not certain (several places, a place that was left, two keys with one fingerprint), the queue is read.
 */
import type { Entry } from '../changes/entry.ts';
import type { FrontierState } from '../state/state.ts';
import type { StoreJob } from '../storage/store-job.ts';
import { entryAt, indexQueue } from './find-waiting.ts';
import { type FoundPlace, placesInFrontQueues } from './read-rows.ts';

/** The first place of the URL, or an empty list. */
export function* findSole(
  state: FrontierState,
  host: number,
  key: string,
  isIt: (entry: Entry) => boolean,
): StoreJob<FoundPlace[]> {
  const { indexes } = state.pull;
  const { size } = state.hosts.at(host).queue;
  let index = state.pull.on ? undefined : indexes.use(host, size);
  if (index === undefined && !state.pull.on && indexes.takes(size) && indexes.isWorthIt(host)) {
    index = yield* indexQueue(state, host);
    indexes.put(host, index);
  }
  if (index === undefined) return yield* placesInFrontQueues(state, host, isIt, 1);
  const [hi, lo] = [...state.fingerprintOf(key)];
  const place = index.find(hi!, lo!);
  if (place === undefined) return [];
  if (index.isSole(hi!, lo!)) {
    const entry = yield* entryAt(state, host, index, place);
    if (entry !== undefined && isIt(entry)) return [{ number: place.number, seq: place.seq, entry }];
  }
  return yield* placesInFrontQueues(state, host, isIt, 1);
}
