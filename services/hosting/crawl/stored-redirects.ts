/** The redirects on `results`, as far back as it reaches. */
import { readRecord } from '../../runtime/avro/read-record.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { CrawlTopics } from '../../runtime/crawl/requests.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { StoredRedirect } from './seed-redirects.ts';

export async function* storedRedirects(
  log: Pick<Log, 'offsets' | 'reader'>,
  codec: RecordCodec,
  { crawl, partitions }: Pick<CrawlTopics, 'crawl' | 'partitions'>,
): AsyncGenerator<StoredRedirect> {
  const topic = `${crawl}.results`;
  for (let partition = 0; partition < partitions; partition++) {
    const { start, end } = await log.offsets(topic, partition);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      const result = await readRecord(codec, 'results', value);
      for (const { kind, url, redirectUrl } of result?.outcomes ?? [])
        if (kind === 'redirect') yield { url, redirectUrl };
    }
  }
}
