/** A crawl on Kafka, as every command meets it: its log, its codec and its manifest. */

import { createBundledRegistry } from '../runtime/avro/bundled-registry.ts';
import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import { openCodec } from '../runtime/avro/record-codec.ts';
import type { SchemaRegistry } from '../runtime/avro/schema-registry.ts';
import type { Clock } from '../runtime/clock.ts';
import { agreeManifest } from '../runtime/crawl/agree-manifest.ts';
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
  // Loaded here, so that a crawl on a laptop does without Kafka's client.
  const { openKafkaLog } = await import('../runtime/log/kafka/kafka-log.ts');
  const log = await openKafkaLog({
    brokers: needBrokers(flags).split(','),
    clientId: `crawlstream-${process.pid}`,
    ...credentials(process.env),
  });
  try {
    const schemas = registry === undefined ? createBundledRegistry() : await confluentRegistry(registry);
    const codec = await openCodec(schemas, crawl);
    const { partitions: _, ...facts } = newCrawl(crawl, 1);
    const wanted = partitions === undefined ? facts : { ...facts, partitions };
    const defaults = creates ? newCrawl(crawl, partitionsDefault) : null;
    const manifest = await agreeManifest({ log, codec, clock, wanted, defaults, createdBy: productVersion });
    return await act({ log, codec, manifest });
  } finally {
    await log.close();
  }
}

async function confluentRegistry(url: string): Promise<SchemaRegistry> {
  const { openConfluentRegistry } = await import('../runtime/avro/confluent-registry.ts');
  return openConfluentRegistry(url);
}

/**
 * Credentials come from the environment, never from a command line that others can list:
 * CRAWLSTREAM_KAFKA_TLS=1, CRAWLSTREAM_KAFKA_USERNAME, _PASSWORD, and _MECHANISM (plain, scram-sha-256, scram-sha-512).
 */
function credentials(env: NodeJS.ProcessEnv): { ssl?: boolean; sasl?: object } {
  const username = env['CRAWLSTREAM_KAFKA_USERNAME'];
  const tls = env['CRAWLSTREAM_KAFKA_TLS'];
  return {
    ...(tls === undefined || tls === '0' ? {} : { ssl: true }),
    ...(username === undefined
      ? {}
      : {
          sasl: {
            mechanism: env['CRAWLSTREAM_KAFKA_MECHANISM'] ?? 'scram-sha-512',
            username,
            password: env['CRAWLSTREAM_KAFKA_PASSWORD'] ?? '',
          },
        }),
  };
}
