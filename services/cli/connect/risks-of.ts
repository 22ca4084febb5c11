/** What of the brokers' settings puts the state of a crawl at risk. */
import { topicsOfCrawl } from '../../../topology/topics.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log } from '../../runtime/log/log.ts';

/** In words, one for each kind. */
export async function risksOf(
  log: Pick<Log, 'risks'>,
  { crawl, partitions }: Pick<Manifest, 'crawl' | 'partitions'>,
): Promise<readonly string[]> {
  const state = topicsOfCrawl(crawl, partitions).filter(({ retention }) => retention === 'state');
  return (await log.risks?.(state.map(({ name }) => name))) ?? [];
}
