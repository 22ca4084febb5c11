/** Pages with a link to a URL that must not be followed: from `pages`, as far back as the topic goes. */
import { readRecord } from '../avro/read-record.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import type { CrawlTopics } from './requests.ts';

export interface NofollowPage {
  readonly page: string;
  /** True: the page forbids it for all of its links (robots directives), not only for this one (rel). */
  readonly whole: boolean;
}

/** `url` is normal. Reads all pages, because a link that was never published is recorded nowhere else. */
export async function nofollowPages(
  log: Pick<Log, 'offsets' | 'reader'>,
  codec: RecordCodec,
  { crawl, partitions }: Pick<CrawlTopics, 'crawl' | 'partitions'>,
  url: string,
  most: number,
): Promise<NofollowPage[]> {
  const topic = `${crawl}.pages`;
  const spelt = Buffer.from(url);
  const found = new Map<string, NofollowPage>();
  for (let partition = 0; partition < partitions; partition++) {
    const { start, end } = await log.offsets(topic, partition);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      // Most records do not contain the URL's text; those are not decoded.
      if (!value.includes(spelt)) continue;
      const page = await readRecord(codec, 'pages', value);
      if (page?.nofollowed.includes(url) !== true) continue;
      found.set(page.url, { page: page.url, whole: page.nofollow });
      if (found.size === most) return [...found.values()];
    }
  }
  return [...found.values()];
}
