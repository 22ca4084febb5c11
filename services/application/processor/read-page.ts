/** Reads one record of `pages` by its position. */
import type { Page } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { ProcessorContext } from './processor.ts';

/** The page; undefined if it has been trimmed, or cannot be read. */
export function pageReader({
  log,
  codec,
  manifest,
}: ProcessorContext): (partition: number, offset: number) => Promise<Page | undefined> {
  const topic = `${manifest.crawl}.pages`;
  return async (partition, offset) => {
    const { start, end } = await log.offsets(topic, partition);
    if (offset < start || offset >= end) return undefined;
    const reader = log.reader();
    try {
      reader.seek(topic, partition, offset);
      const [record] = await reader.poll({ maxBytes: 1, waitMs: 5_000 });
      if (record?.offset !== offset) return undefined;
      await codec.prepare('pages', record.value);
      return codec.decode('pages', record.value);
    } catch (error) {
      const isData = error instanceof CrawlstreamError && !error.retriable && error.code !== 'STORE_FAILED';
      if (isData) return undefined;
      throw error;
    } finally {
      await reader.close();
    }
  };
}
