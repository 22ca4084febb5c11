/** Finished URLs of a crawl, read from its changelogs; from a single partition if a host is given. */

import type { FinishedFilter, FinishedUrl } from '../../../topology/frontier/ask/finished-urls.ts';
import { FinishedUrls } from '../../../topology/frontier/ask/finished-urls.ts';
import { readChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import type { CrawlTopics } from './requests.ts';

export async function finishedUrls(
  log: Pick<Log, 'offsets' | 'reader'>,
  { crawl, partitions, keyMode }: CrawlTopics,
  filter: FinishedFilter,
): Promise<FinishedUrl[]> {
  const { hostKey } = filter;
  const only = hostKey === '' ? undefined : partitionOf(partitionKeyOf(hostKey, keyMode), partitions);
  const topic = `${crawl}.frontier-changelog`;
  const found: FinishedUrl[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    if (only !== undefined && partition !== only) continue;
    const finished = new FinishedUrls(filter);
    const { start, end } = await log.offsets(topic, partition);
    if (end > start) {
      for await (const { offset, value } of recordsOf(log, topic, partition, start, end)) {
        const record = readChangelog(value);
        if (record.kind !== 'foreign') finished.take(offset, record);
      }
    }
    found.push(...finished.found);
  }
  return found;
}
