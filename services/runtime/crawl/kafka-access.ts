/** Getting at a crawl on Kafka: its log and its codec. */
import { createBundledRegistry } from '../avro/bundled-registry.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import { openCodec } from '../avro/record-codec.ts';
import type { SchemaRegistry } from '../avro/schema-registry.ts';
import type { CompressionName } from '../log/kafka/compression/names.ts';
import type { Log } from '../log/log.ts';
import { kafkaCredentials, registryLogin } from './kafka-credentials.ts';

export interface KafkaAccess {
  /** `host:port`, comma-separated. */
  readonly brokers: string;
  /** URL. Absent: ids derived from this release's schemas. */
  readonly registry?: string | undefined;
  readonly crawl: string;
  /** Of what is appended. Absent: none. */
  readonly compression?: CompressionName | undefined;
}

/** The caller closes the log. */
export async function openKafkaAccess({
  brokers,
  registry,
  crawl,
  compression,
}: KafkaAccess): Promise<{ readonly log: Log; readonly codec: RecordCodec }> {
  // Loaded here, so that a crawl on a laptop does without Kafka's client.
  const { openKafkaLog } = await import('../log/kafka/kafka-log.ts');
  const clientId = `crawlstream-${process.pid}`;
  const log = await openKafkaLog({
    ...{ brokers: brokers.split(','), clientId },
    ...(compression && { compression }),
    ...kafkaCredentials(process.env),
  });
  try {
    const schemas = registry === undefined ? createBundledRegistry() : await confluentRegistry(registry);
    return { log, codec: await openCodec(schemas, crawl) };
  } catch (error) {
    await log.close();
    throw error;
  }
}

async function confluentRegistry(url: string): Promise<SchemaRegistry> {
  const { openConfluentRegistry } = await import('../avro/confluent-registry.ts');
  return openConfluentRegistry(url, registryLogin(process.env));
}
