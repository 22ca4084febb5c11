/** A crawl to read, in a data folder or on Kafka, running or not. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { openCodec } from '../../runtime/avro/record-codec.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { type DataFolder, readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log } from '../../runtime/log/log.ts';
import { openReadOnlyLog } from '../../runtime/log/read-only.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import { logFolder } from './crawl-folder.ts';
import { needData } from './folder-log.ts';
import { withKafka } from './kafka-connection.ts';
import { Losses } from './losses.ts';

export interface ReadableCrawl {
  readonly log: Pick<Log, 'committed' | 'offsetAt' | 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly topics: Manifest;
  /** The folder with the checkpoints of the partitions; null: they are not on this machine. */
  readonly folder: DataFolder | null;
  /** Makes newer records visible: a reader of a data folder's log sees it as of one moment. */
  refresh(): Promise<void>;
  /** The log on brokers. null: the log is in the data folder, locked by the process that crawls there. */
  readonly brokersLog: Log | null;
}

/** Accepts the default of `--crawl` and calls without a name: neither names the crawl of a data folder. */
function needCrawlOf({ path, manifest: { crawl } }: DataFolder, asked: string | undefined): void {
  if (asked === undefined || asked === 'crawl' || asked === crawl) return;
  const message = `--data ${path} holds the crawl ${crawl}, not ${asked}: leave out --crawl, or name the folder of ${asked}`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}

export async function withCrawl<T>(flags: KafkaFlags, act: (crawl: ReadableCrawl) => Promise<T>): Promise<T> {
  const clock = new SystemClock();
  if (flags.brokers !== undefined) {
    return withKafka(flags, clock, false, ({ log, codec, manifest }) =>
      act({ log, codec, topics: manifest, brokersLog: log, folder: null, refresh: async () => {} }),
    );
  }
  const folder = await readDataFolder(await needData(flags));
  needCrawlOf(folder, flags.crawl);
  const losses = flags.skipDamaged === true ? new Losses() : undefined;
  const log = await openReadOnlyLog(logFolder(folder), clock, losses);
  try {
    const codec = await openCodec(log.registry, folder.manifest.crawl);
    return await act({ log, brokersLog: null, codec, topics: folder.manifest, folder, refresh: log.refresh });
  } finally {
    await log.close();
    losses?.report();
  }
}
