/** Getting at a crawl on Kafka: its log, its codec, and the credentials for both. */
import { createBundledRegistry } from '../avro/bundled-registry.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import { openCodec } from '../avro/record-codec.ts';
import type { SchemaRegistry } from '../avro/schema-registry.ts';
import type { Log } from '../log/log.ts';

export interface KafkaAccess {
  /** `host:port`, comma-separated. */
  readonly brokers: string;
  /** URL. Absent: ids derived from this release's schemas. */
  readonly registry?: string | undefined;
  readonly crawl: string;
}

/** The caller closes the log. */
export async function openKafkaAccess({
  brokers,
  registry,
  crawl,
}: KafkaAccess): Promise<{ readonly log: Log; readonly codec: RecordCodec }> {
  // Loaded here, so that a crawl on a laptop does without Kafka's client.
  const { openKafkaLog } = await import('../log/kafka/kafka-log.ts');
  const clientId = `crawlstream-${process.pid}`;
  const log = await openKafkaLog({ brokers: brokers.split(','), clientId, ...credentials(process.env) });
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
