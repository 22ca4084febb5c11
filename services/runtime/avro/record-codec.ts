/**
 * Records of the Avro topics as bytes: Confluent wire format, a zero byte, the schema id as 4 bytes big-endian, the body.
 *
 * A record written under another version of its schema is read into today's shape through Avro's schema resolution. What
 * can't be read throws INVALID_RECORD or SCHEMA_UNKNOWN, for the dead letters; it never hangs and never allocates more
 * than a small multiple of the record's own bytes. The hot path is synchronous: only a schema id not met before needs the
 * registry, and `prepare` says so.
 */
import type { Type } from 'avsc';
import { avroSchemas } from '../../../schemas/avro.ts';
import type { TopicRecords } from '../../../schemas/types.ts';
import { damageOf } from '../../../topology/damaged-batch.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { avroLimits } from '../../../topology/limits.ts';
import type { AvroTopic } from '../../../topology/topics.ts';
import { typeOf } from './avro-types.ts';
import { type SchemaRegistry, schemaUnknown } from './schema-registry.ts';

export interface RecordCodec {
  encode<T extends AvroTopic>(topic: T, record: TopicRecords[T]): Buffer;
  /** Throws INVALID_RECORD or SCHEMA_UNKNOWN. Call `prepare` before. */
  decode<T extends AvroTopic>(topic: T, bytes: Uint8Array): TopicRecords[T];
  /**
   * Undefined if `decode` can go ahead, which is nearly always; else a promise to wait for. It rejects only if the
   * registry can't be asked (REGISTRY_UNREACHABLE): what is wrong with the record itself, `decode` says.
   */
  prepare(topic: AvroTopic, bytes: Uint8Array): Promise<void> | undefined;
}

interface TopicCodec {
  readonly type: Type;
  readonly id: number;
  /** How to read each schema id met so far; `current`: as today's schema; an error: what decode throws. */
  readonly readers: Map<number, 'current' | Resolver | CrawlstreamError>;
}
type Resolver = ReturnType<Type['createResolver']>;

const headerBytes = 5;

/** Registers today's schemas under `<crawl>.<topic>-value`. */
export async function openCodec(registry: SchemaRegistry, crawl: string): Promise<RecordCodec> {
  const topics = {} as Record<AvroTopic, TopicCodec>;
  for (const topic of Object.keys(avroSchemas) as AvroTopic[]) {
    const id = await registry.idFor(`${crawl}.${topic}-value`, avroSchemas[topic]);
    topics[topic] = { type: typeOf(avroSchemas[topic]), id, readers: new Map([[id, 'current']]) };
  }
  /** Records are written here first, then copied out at their exact length. */
  let scratch = Buffer.allocUnsafeSlow(64 << 10);

  return {
    encode: (topic, record) => {
      const { type, id } = topics[topic];
      let end = write(type, topic, record, scratch);
      if (end < 0) {
        scratch = Buffer.allocUnsafeSlow(2 * (scratch.length - end));
        end = write(type, topic, record, scratch);
      }
      scratch[0] = 0;
      scratch.writeUInt32BE(id, 1);
      return Buffer.from(scratch.subarray(0, end));
    },
    decode: <T extends AvroTopic>(topic: T, given: Uint8Array) => {
      const bytes = Buffer.isBuffer(given) ? given : Buffer.from(given.buffer, given.byteOffset, given.byteLength);
      const { type, readers } = topics[topic];
      const id = schemaId(bytes);
      if (id === undefined) {
        throw invalid(topic, damageOf(bytes) ?? 'it does not begin as the Confluent wire format does');
      }
      const reader = readers.get(id) ?? schemaUnknown(id);
      if (reader instanceof CrawlstreamError) throw reader;
      return read(type, topic, bytes, reader === 'current' ? undefined : reader) as TopicRecords[T];
    },
    prepare: (topic, bytes) => {
      const id = schemaId(bytes);
      const { readers, type } = topics[topic];
      if (id === undefined || readers.has(id)) return undefined;
      return learn(registry, type, id).then((reader) => {
        if (readers.size >= avroLimits.unknownIdsMax) forgetErrors(readers);
        readers.set(id, reader);
      });
    },
  };
}

function write(type: Type, topic: AvroTopic, record: unknown, into: Buffer): number {
  try {
    return type.encode(record, into, headerBytes);
  } catch (cause) {
    throw invalid(topic, `it does not fit the schema: ${(cause as Error).message}`, cause);
  }
}

function read(type: Type, topic: AvroTopic, bytes: Buffer, resolver: Resolver | undefined): unknown {
  let decoded: { value: unknown; offset: number };
  try {
    decoded = type.decode(bytes, headerBytes, resolver);
  } catch (cause) {
    throw invalid(topic, (cause as Error).message, cause);
  }
  if (decoded.offset < 0) throw invalid(topic, 'it ends too early');
  if (decoded.offset !== bytes.length) throw invalid(topic, `${bytes.length - decoded.offset} bytes follow its end`);
  return decoded.value;
}

function schemaId(bytes: Uint8Array): number | undefined {
  if (bytes.length < headerBytes || bytes[0] !== 0) return undefined;
  return (
    (((bytes[1] as number) << 24) |
      ((bytes[2] as number) << 16) |
      ((bytes[3] as number) << 8) |
      (bytes[4] as number)) >>>
    0
  );
}

/** How records of schema `id` are read as today's type. */
async function learn(
  registry: SchemaRegistry,
  type: Type,
  id: number,
): Promise<'current' | Resolver | CrawlstreamError> {
  try {
    const writer = typeOf(await registry.schemaById(id));
    if (writer.fingerprint().equals(type.fingerprint())) return 'current';
    return type.createResolver(writer);
  } catch (error) {
    if (!(error instanceof CrawlstreamError)) {
      return new CrawlstreamError(
        'INVALID_RECORD',
        `schema id ${id} can't be read as ${type.name}: ${(error as Error).message}`,
        error,
      );
    }
    if (error.retriable) throw error;
    return error;
  }
}

function forgetErrors(readers: TopicCodec['readers']): void {
  for (const [id, reader] of readers) if (reader instanceof CrawlstreamError) readers.delete(id);
}

function invalid(topic: AvroTopic, why: string, cause?: unknown): CrawlstreamError {
  return new CrawlstreamError('INVALID_RECORD', `not a record of ${topic}: ${why}`, cause);
}
