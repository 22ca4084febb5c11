/** Finds one URL of a served crawl's queue, in any place. */
import type { FrontierState } from '../../state/state.ts';
import type { StoreJob } from '../../storage/store-job.ts';
import { findOut, inAgain, placeName, readPlaces } from './find-known.ts';
import type { ListedUrl } from './list-queue.ts';

/** undefined: the URL is not there. Reads at most two rows, unless the queue must be indexed first (`findWaiting`). */
export function* lookUp(state: FrontierState, key: string, url: string): StoreJob<ListedUrl | undefined> {
  const host = state.hosts.get(key);
  if (host === undefined) return undefined;
  const out = findOut(state, host, url);
  if (out !== undefined) return { from: out.from, entry: out.entry!, dueAtMs: 0 };
  const again = host.queue.cameBack?.find(url);
  if (again !== undefined) return { from: inAgain(again.seq), entry: again.entry, dueAtMs: again.dueAtMs };
  const place = (yield* readPlaces(state, [{ key, url }])).get(placeName(key, url));
  if (place == null || place.from.in === 'forgotten') return undefined;
  return { from: place.from, entry: place.entry!, dueAtMs: place.from.in === 'again' ? place.from.a : 0 };
}
