/** Getting at a crawl on Kafka: its log and its codec. */
import { hostname } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { openCodec, type RecordCodec } from '../avro/record-codec.ts';
import type { SchemaRegistry } from '../avro/schema-registry.ts';
import { SystemClock } from '../clock.ts';
import { ownResponses } from '../log/folded/fold.ts';
import { foldLog } from '../log/folded/folded-log.ts';
import type { CompressionName } from '../log/kafka/compression/names.ts';
import { kafkaLimits } from '../log/kafka/kafka-limits.ts';
import type { Log } from '../log/log.ts';
import { type CrawlSchemas, notingLog, openCrawlSchemas } from './crawl-schemas.ts';
import { kafkaCredentials, rackOf, registryLogin } from './kafka-credentials.ts';

export interface KafkaAccess {
  /** `host:port`, comma-separated. */
  readonly brokers: string;
  /** URL. Absent: none gives ids, and records carry the fingerprints of their schemas. */
  readonly registry?: string | undefined;
  readonly crawl: string;
  /** Compression of appended records. Absent: none. */
  readonly compression?: CompressionName | undefined;
  /** The name under which schemas are noted. Absent: that of the program. */
  readonly by?: string | undefined;
  /**
   * For roles: true if the process outlives brokers that are away for a minute or two, and reports them. Absent: for
   * commands.
   */
  readonly stays?: boolean | undefined;
  /** Role of this process in the brokers’ logs and metrics. Absent: `client`. */
  readonly role?: string | undefined;
  /** Called with hints for the operator that are not errors. */
  readonly onNotice?: ((text: string) => void) | undefined;
}

/** Reported outages by brokers: a process that opens its log again during an outage reports it only once. */
const brokersSaid = new Map<string, number>();

/** The caller closes the log. */
export async function openKafkaAccess(access: KafkaAccess): Promise<CrawlAccess> {
  const base = await openBrokers(access);
  try {
    // Topics of a fleet's crawl lie together; others of its processes append, too.
    const { crawl } = access;
    const isFolded = crawl.includes('.') && (await base.partitionsOf(`${crawl}.flow`)) > 0;
    if (!isFolded) return await accessOn(base, access);
    const responses = ownResponses(crawl);
    const apart = (await base.partitionsOf(responses)) > 0 ? [responses] : [];
    return await accessOn(foldLog(base, { isExact: true, apart }), access);
  } catch (error) {
    await base.close();
    throw error;
  }
}

export interface CrawlAccess {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly schemas: CrawlSchemas;
}

/** The log under all crawls. */
export async function openBrokers(access: Omit<KafkaAccess, 'registry'>): Promise<Log> {
  const { brokers, crawl, compression, stays, onNotice } = access;
  // Loaded here, so that a crawl on a laptop does without Kafka's client.
  const { openKafkaLog } = await import('../log/kafka/kafka-log.ts');
  const clientId = clientIdOf(access.role ?? 'client', crawl);
  return openKafkaLog({
    ...{ brokers: brokers.split(','), clientId },
    ...(compression && { compression }),
    ...rackOf(process.env),
    ...(stays && {
      operationTimeoutMs: kafkaLimits.deliveryTimeoutMs,
      ...(onNotice && { onBrokers: onNotice, brokersSaid }),
    }),
    credentials: () => kafkaCredentials(process.env),
  });
}

export interface OpenRegistry {
  readonly url: string;
  readonly schemas: SchemaRegistry;
}

export async function openRegistry(url: string): Promise<OpenRegistry> {
  return { url, schemas: await confluentRegistry(url) };
}

export interface AccessOn extends Pick<KafkaAccess, 'crawl' | 'by' | 'onNotice'> {
  /** Its URL, or one that is open already. Absent: none gives ids. */
  readonly registry?: string | OpenRegistry | undefined;
}

/** A crawl on a log that is open already. */
export async function accessOn(
  log: Log,
  { registry: given, crawl, by = 'crawlstream', onNotice }: AccessOn,
): Promise<CrawlAccess> {
  const registry = typeof given === 'string' ? await openRegistry(given) : (given ?? null);
  const schemas = await openCrawlSchemas({ log, crawl, clock: new SystemClock(), registry, by });
  return { log: notingLog(log, schemas, onNotice), codec: await openCodec(schemas, crawl), schemas };
}

/**
 * Client id from role, crawl and instance, so that quotas, and the logs and metrics of brokers, can distinguish
 * processes. The process id alone is not enough, because all containers have the same; nor is the host name, which
 * several processes may share.
 */
function clientIdOf(role: string, crawl: string): string {
  return `crawlstream-${role}-${crawl}-${hostname()}-${process.pid}`.replaceAll(/[^A-Za-z0-9._-]/g, '_');
}

/** The password and the authority are read again at each call, because they can change while a process runs. */
async function confluentRegistry(url: string): Promise<SchemaRegistry> {
  const { openConfluentRegistry } = await import('../avro/confluent-registry.ts');
  let login = registryLogin(process.env);
  let registry = openConfluentRegistry(url, login);
  const current = () => {
    const now = registryLogin(process.env);
    // The variables at the start of the process determine how tokens are requested, and the requester caches them.
    if (!isDeepStrictEqual({ ...now, token: null }, { ...login, token: null }))
      registry = openConfluentRegistry(url, (login = now));
    return registry;
  };
  return {
    idFor: async (subject, schema) => current().idFor(subject, schema),
    schemaById: async (id) => current().schemaById(id),
  };
}
