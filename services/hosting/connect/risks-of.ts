/** Broker settings that endanger the state of a crawl. */
import { topicsOfCrawl } from '../../../topology/topics.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log, TopicRisk } from '../../runtime/log/log.ts';

/** One for each kind. */
export async function risksOf(
  log: Pick<Log, 'risks'>,
  { crawl, partitions }: Pick<Manifest, 'crawl' | 'partitions'>,
): Promise<readonly TopicRisk[]> {
  return (await log.risks?.(topicsOfCrawl(crawl, partitions))) ?? [];
}
