/** Counts rows of purged pages in the index; `forget` calls it once the index has caught up. */
import { existsSync } from 'node:fs';
import { type Forgotten, type HeldAt, type Place, purgedLeft } from '../../application/processor/holding.ts';
import { indexedUrls } from './indexed-urls.ts';
import { openOpenSearch } from './opensearch-index.ts';
import { openSearchName } from './start-search-index.ts';

export async function forgetIndexed(at: HeldAt): Promise<Forgotten> {
  const { part, isOnBrokers, options } = at;
  if (part === undefined || isOnBrokers) return { places: [] };
  const places: Place[] = [];
  if (existsSync(part('index'))) places.push(await purgedLeft('index', indexedUrls(part('index')), at));
  if (options['opensearch'] !== undefined) places.push(await leftInOpenSearch(at));
  return { places };
}

async function leftInOpenSearch(at: HeldAt): Promise<Place> {
  const { crawl, options, clock } = at;
  const node = `${options['opensearch']}`;
  const name = openSearchName(crawl, options['opensearchIndex'] as string | undefined);
  const index = await openOpenSearch({ node, index: name, clock, signal: new AbortController().signal });
  try {
    return await purgedLeft(`index ${name} of ${new URL(node).host}`, index.urls(), at);
  } finally {
    await index.close();
  }
}
