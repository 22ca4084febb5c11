/** Reads the pages of a crawl from their topic, each URL once. */
import type { Page } from '../../../schemas/types.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import type { Purges } from '../../runtime/crawl/purges.ts';
import { addTakenBack } from '../../runtime/crawl/taken-back.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { ReadableCrawl } from '../connect/open-crawl.ts';

export const nothing: ReadonlyMap<string, number> = new Map();

export async function takenBackIn(
  { log, topics }: ReadableCrawl,
  partition: number,
): Promise<ReadonlyMap<string, number>> {
  const takenBack = new Map<string, number>();
  await addTakenBack(log, topics.crawl, partition, takenBack);
  return takenBack;
}

/** True if the record is to be printed. Must be called in the order of offsets. */
type Wanted = (offset: number, page: Page) => boolean;

export const all: Wanted = () => true;

/**
 * The first record of each URL; if a browser renders, its newest rendered one. Rendered records come later than those
 * they replace, so a partition with any is read twice.
 */
export async function onePerUrl(crawl: ReadableCrawl, partition: number, purges: Purges): Promise<Wanted> {
  const { log, topics } = crawl;
  const { end: rendering } = await log.offsets(`${topics.crawl}.render`, partition);
  const rendered = new Map<string, number>();
  if (rendering > 0) {
    for await (const { offset, page } of pagesOf(crawl, partition, () => {})) {
      if (page.rendered && !purges.refuses(page.url, page.fetchedAtMs)) rendered.set(page.url, offset);
    }
  }
  const printed = new Set<string>();
  return (offset, { url, fetchedAtMs }) => {
    const place = rendered.get(url);
    if (place !== undefined) return place === offset;
    if (printed.has(url) || purges.refuses(url, fetchedAtMs)) return false;
    printed.add(url);
    return true;
  };
}

export async function* pagesOf({ log, codec, topics }: ReadableCrawl, partition: number, warn: (text: string) => void) {
  const topic = `${topics.crawl}.pages`;
  // Only records that are there at the start are read, since a crawl may be appending.
  const { start, end } = await log.offsets(topic, partition);
  for await (const { offset, value } of recordsOf(log, topic, partition, start, end)) {
    const page = await readRecord(codec, 'pages', value, (why) =>
      warn(`${topic}/${partition}, offset ${offset}, was skipped: ${why}`),
    );
    if (page !== undefined) yield { offset, page };
  }
}
