/** Counts rows of purged pages in the dedup; `forget` calls it once the dedup has caught up. */
import { existsSync } from 'node:fs';
import { type Forgotten, type HeldAt, purgedLeft } from '../../application/processor/holding.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import { knownUrls } from './known-urls.ts';

export async function forgetDedup({ part, isOnBrokers, ...of }: HeldAt): Promise<Forgotten> {
  if (part === undefined || isOnBrokers || !existsSync(part('dedup'))) return { places: [] };
  const store = await openStateStore(part('dedup'), { readOnly: true });
  try {
    return { places: [await purgedLeft('dedup', knownUrls(store), of)] };
  } finally {
    await store.close();
  }
}
