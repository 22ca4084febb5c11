/** A crawl to read, in a data folder or on Kafka, running or not. */
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { openCodec } from '../../runtime/avro/record-codec.ts';
import { SystemClock } from '../../runtime/clock.ts';
import type { MembersLog } from '../../runtime/crawl/frontier-members.ts';
import { type DataFolder, readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log } from '../../runtime/log/log.ts';
import { openReadOnlyLog } from '../../runtime/log/read-only.ts';
import type { KafkaFlags } from '../flags/kafka-flags.ts';
import { logFolder } from './crawl-folder.ts';
import { withKafka } from './kafka-connection.ts';
import { needCrawl } from './send-request.ts';

export interface ReadableCrawl {
  readonly log: Pick<Log, 'committed' | 'offsetAt' | 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly topics: Manifest;
  /** Where views of its partitions are; null: not here. */
  readonly folder: DataFolder | null;
  /** Sees what was written up to now: a data folder's log is of one moment. */
  refresh(): Promise<void>;
  /** Who works on it; absent: in a data folder, one process at most. */
  readonly members?: MembersLog;
}

export async function withCrawl<T>(flags: KafkaFlags, act: (crawl: ReadableCrawl) => Promise<T>): Promise<T> {
  const clock = new SystemClock();
  if (flags.brokers !== undefined) {
    return withKafka(flags, clock, false, ({ log, codec, manifest }) =>
      act({ log, codec, topics: manifest, members: log, folder: null, refresh: async () => {} }),
    );
  }
  const folder = await readDataFolder(needCrawl(flags));
  const log = await openReadOnlyLog(logFolder(folder), clock);
  try {
    const codec = await openCodec(log.registry, folder.manifest.crawl);
    return await act({ log, codec, topics: folder.manifest, folder, refresh: log.refresh });
  } finally {
    await log.close();
  }
}
