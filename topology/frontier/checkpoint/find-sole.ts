/**
 * Finds one URL by its seen key in the front queues of a host: by an index of them where that is worth it, and else by
 * reading them from their heads on. Both give the same, so that no decision goes by what is in memory: where the index cannot
 * be sure (several places, a place that was left, two keys of one fingerprint), the queue is read.
 */
import type { Entry } from '../changes/entry.ts';
import type { FrontierState } from '../state/state.ts';
import type { StoreJob } from '../storage/store-job.ts';
import { entryAt, indexQueue } from './find-waiting.ts';
import { type FoundPlace, placesInFrontQueues } from './read-rows.ts';

/** The first place of it, or none. */
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
