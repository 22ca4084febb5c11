/** URLs that were given up with their host, from the changelog of a partition: no fetcher reported an outcome of them. */
import { readChangelog } from '../../../topology/frontier/changes/changelog.ts';
import type { UrlRecord } from '../../../topology/frontier/changes/changes.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';

export interface AbandonedUrl {
  readonly hostKey: string;
  readonly record: UrlRecord;
}

/** URLs that were given up, in that order. A URL that was requeued since may have an outcome by now. */
export async function* abandonedUrls(
  log: Pick<Log, 'offsets' | 'reader'>,
  crawl: string,
  partition: number,
): AsyncGenerator<AbandonedUrl> {
  const topic = `${crawl}.frontier-changelog`;
  const { start, end } = await log.offsets(topic, partition);
  for await (const { value } of recordsOf(log, topic, partition, start, end)) {
    const record = readChangelog(value);
    if (record.kind !== 'commit') continue;
    for (const change of record.changes)
      if (change.kind === 'abandon') yield { hostKey: change.hostKey, record: change.record };
  }
}
