/** The log of a data folder, opened to be written by a command: no crawl may be running there. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { topicsOfCrawl } from '../../../topology/topics.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { openCodec } from '../../runtime/avro/record-codec.ts';
import { createEmbeddedRegistry } from '../../runtime/avro/schema-registry.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { EmbeddedLog } from '../../runtime/log/embedded-log.ts';
import { openEmbeddedLog } from '../../runtime/log/embedded-log.ts';
import { openRocksdbStore } from '../../runtime/store/rocksdb-store.ts';
import { logFolder } from './crawl-folder.ts';

export interface FolderLog {
  readonly log: EmbeddedLog;
  readonly codec: RecordCodec;
}

export async function withFolderLog<T>(
  folder: DataFolder,
  clock: Clock,
  act: (opened: FolderLog) => Promise<T>,
): Promise<T> {
  const store = await openRocksdbStore(logFolder(folder));
  try {
    const log = await openEmbeddedLog(store, clock);
    try {
      const { crawl, partitions } = folder.manifest;
      await log.createTopics(topicsOfCrawl(crawl, partitions));
      return await act({ log, codec: await openCodec(createEmbeddedRegistry(store), crawl) });
    } finally {
      await log.close();
    }
  } finally {
    await store.close();
  }
}

export function needData(data: string | undefined): string {
  if (data !== undefined) return data;
  const message = '--data is missing: name the data folder of the crawl, or its --brokers';
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}
