/** A crawl on Kafka, as every command meets it: its log, its codec and its manifest. */

import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import type { Clock } from '../runtime/clock.ts';
import { agreeManifest } from '../runtime/crawl/agree-manifest.ts';
import { openKafkaAccess } from '../runtime/crawl/kafka-access.ts';
import type { Manifest } from '../runtime/data-folder/manifest.ts';
import type { Log } from '../runtime/log/log.ts';
import type { KafkaFlags } from './kafka-flags.ts';
import { needBrokers } from './kafka-flags.ts';
import { newCrawl } from './new-crawl.ts';
import { productVersion } from './version.ts';

export interface KafkaConnection {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly manifest: Manifest;
}

/** Partitions of a new crawl: enough for as many frontier processes, which is more than most crawls need. */
const partitionsDefault = 8;

/** `creates`: may this command begin a crawl that is not there? */
export async function withKafka<T>(
  flags: KafkaFlags,
  clock: Clock,
  creates: boolean,
  act: (connection: KafkaConnection) => Promise<T>,
): Promise<T> {
  const { crawl, registry, partitions } = flags;
  const { log, codec } = await openKafkaAccess({ brokers: needBrokers(flags), registry, crawl });
  try {
    const { partitions: _, ...facts } = newCrawl(crawl, 1);
    const wanted = partitions === undefined ? facts : { ...facts, partitions };
    const defaults = creates ? newCrawl(crawl, partitionsDefault) : null;
    const manifest = await agreeManifest({ log, codec, clock, wanted, defaults, createdBy: productVersion });
    return await act({ log, codec, manifest });
  } finally {
    await log.close();
  }
}
