/** One record of `pages`, by where it stands. */
import type { Page } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { ProcessorContext } from './processor.ts';

/** Undefined where it has been trimmed, or can't be read. */
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
