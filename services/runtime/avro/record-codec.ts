/**
 * Records of the Avro topics as bytes, in one of two formats, which differ in the first byte: Confluent's (a zero
 * byte, the schema id as 4 bytes big-endian, the body) if a registry gives ids, otherwise Avro's single-object
 * encoding.
 *
 * A record written under another version of its schema is read into today's shape through Avro's schema resolution.
 * Bytes that are no record throw INVALID_RECORD, for the dead letters; decoding never hangs and never allocates more
 * than a small multiple of the record's own bytes. If a record's schema is not known here, the record is not at fault:
 * `prepare` throws SCHEMA_UNKNOWN, and the reader waits (await-schema.ts) until a registry or the crawl's notes know
 * it. The hot path is synchronous: only a schema not met before needs `prepare`, which says so.
 */
import type { Type } from 'avsc';
import { avroSchemas } from '../../../schemas/avro.ts';
import type { LinkGroup, TopicRecords } from '../../../schemas/types.ts';
import { damageOf } from '../../../topology/damaged-batch.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { AvroTopic } from '../../../topology/topics.ts';
import { avroLimits } from './avro-limits.ts';
import { itemTypeOf, typeOf } from './avro-types.ts';
import { decodeSchemaNote, noteAsControl, schemaNoteFingerprint } from './schema-note.ts';
import { schemaUnknown } from './schema-registry.ts';
import { createSchemaWaits, type SchemaWaits } from './schema-waits.ts';
import { fingerprint64, fingerprintIn, singleObjectHeader, singleObjectHeaderBytes } from './single-object.ts';

export interface RecordCodec {
  encode<T extends AvroTopic>(topic: T, record: TopicRecords[T]): Buffer;
  /**
   * Writes an item of a record of `discovered` at an offset, and returns its end. Negative: minus the bytes that are
   * missing. Throws INVALID_RECORD.
   */
  writeLinkGroup(group: LinkGroup, into: Buffer, from: number): number;
  /** A record of `discovered` with so many groups, which `bytes` holds. */
  encodeDiscovered(groups: number, bytes: Buffer): Buffer;
  /** Throws INVALID_RECORD or SCHEMA_UNKNOWN. Call `prepare` before. */
  decode<T extends AvroTopic>(topic: T, bytes: Uint8Array): TopicRecords[T];
  /**
   * Prepares `decode`. Undefined: it can run now, the usual case; otherwise a promise to wait for. The promise rejects
   * only for problems that time or an operator may fix (SCHEMA_UNKNOWN, REGISTRY_UNREACHABLE); `decode` reports faults
   * of the record.
   */
  prepare(topic: AvroTopic, bytes: Uint8Array): Promise<void> | undefined;
  /** The readers that wait for a schema. */
  readonly waits: SchemaWaits;
}

/** A source of schemas: a registry. On Kafka, the crawl's notes are read first (crawl-schemas.ts). */
export interface SchemaSource {
  /** The id under which records of a subject (`crawl.discovered-value`) are written; null: under their fingerprint. */
  idFor(subject: string, schema: object): Promise<number | null>;
  /** The same for several, at the cost of one. */
  idsFor?(schemas: readonly (readonly [subject: string, schema: object])[]): Promise<readonly (number | null)[]>;
  /** Throws SCHEMA_UNKNOWN. */
  schemaById(id: number, subject: string): Promise<object>;
  /** Throws SCHEMA_UNKNOWN. Absent: only schemas of this release are known by fingerprint. */
  schemaByFingerprint?(fingerprint: string, subject: string): Promise<object>;
  /**
   * True if the registry is stored with the records, and nothing else assigns ids: then bytes with an unknown id are
   * not a record.
   */
  readonly isWhole?: boolean;
}

interface TopicCodec {
  readonly subject: string;
  readonly type: Type;
  /** The byte with which records begin. */
  readonly header: Buffer;
  /** The first bytes of the records if no registry gives ids. */
  readonly usual: Buffer;
  readonly fingerprint: string;
  /** The reader for each known schema, by id or fingerprint. */
  readonly readers: Map<number | string, Reader>;
}
/** `current`: read with today's schema; `note`: a schema note; an error: the one that `decode` throws. */
type Reader = 'current' | 'note' | Resolver | CrawlstreamError;
type Resolver = ReturnType<Type['createResolver']>;

const idHeaderBytes = 5;
/** Number of items in a block of an array. */
const countType = typeOf({ type: 'long' });
const endOfArray = Buffer.of(0);

/** Opens the codec, and registers today's schemas under `<crawl>.<topic>-value`. */
export async function openCodec(source: SchemaSource, crawl: string): Promise<RecordCodec> {
  const topics = {} as Record<AvroTopic, TopicCodec>;
  const subjectOf = (topic: AvroTopic) => `${crawl}.${topic}-value`;
  const all = Object.keys(avroSchemas) as AvroTopic[];
  const ids = await source.idsFor?.(all.map((topic) => [subjectOf(topic), avroSchemas[topic]] as const));
  for (const [at, topic] of all.entries()) {
    const subject = subjectOf(topic);
    const id = ids === undefined ? await source.idFor(subject, avroSchemas[topic]) : ids[at]!;
    const fingerprint = fingerprint64(avroSchemas[topic]);
    const readers = new Map<number | string, Reader>([[fingerprint, 'current']]);
    if (id !== null) readers.set(id, 'current');
    if (topic === 'control') readers.set(schemaNoteFingerprint, 'note');
    const usual = singleObjectHeader(fingerprint);
    const header = id === null ? usual : idHeader(id);
    topics[topic] = { subject, type: typeOf(avroSchemas[topic]), header, usual, fingerprint, readers };
  }
  const waits = createSchemaWaits();
  /** Records are written here first, then copied out at their exact length. */
  let scratch = Buffer.allocUnsafeSlow(64 << 10);
  const groupType = itemTypeOf(topics.discovered.type, 'groups');

  return {
    waits,
    encode: (topic, record) => {
      const { type, header } = topics[topic];
      let end = write(type, topic, record, scratch, header.length);
      if (end < 0) {
        scratch = Buffer.allocUnsafeSlow(2 * (scratch.length - end));
        end = write(type, topic, record, scratch, header.length);
      }
      scratch.set(header);
      return Buffer.from(scratch.subarray(0, end));
    },
    writeLinkGroup: (group, into, from) => write(groupType, 'discovered', group, into, from),
    encodeDiscovered: (groups, bytes) => {
      // One block of items, as avsc writes an array; then an empty one (Avro specification, "Arrays").
      const items = groups === 0 ? [] : [countType.toBuffer(groups), bytes];
      return Buffer.concat([topics.discovered.header, ...items, endOfArray]);
    },
    decode: <T extends AvroTopic>(topic: T, given: Uint8Array) => {
      const bytes = asBuffer(given);
      const { type, readers } = topics[topic];
      const ref = schemaIn(bytes, topics[topic]);
      if (ref === undefined) {
        throw invalid(
          topic,
          damageOf(bytes) ?? 'it starts with neither the Confluent wire format nor an Avro single-object header',
        );
      }
      const reader = readers.get(ref) ?? schemaUnknown(ref);
      if (reader instanceof CrawlstreamError) throw reader;
      if (reader === 'note') return readNote(bytes) as TopicRecords[T];
      const from = typeof ref === 'number' ? idHeaderBytes : singleObjectHeaderBytes;
      return read(type, topic, bytes, from, reader === 'current' ? undefined : reader) as TopicRecords[T];
    },
    prepare: (topic, given) => {
      const ref = schemaIn(asBuffer(given), topics[topic]);
      const { readers, type, subject } = topics[topic];
      if (ref === undefined || readers.has(ref)) return undefined;
      return learn(source, subject, type, ref).then((reader) => {
        if (readers.size >= avroLimits.unknownIdsMax) forgetErrors(readers);
        readers.set(ref, reader);
      });
    },
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function idHeader(id: number): Buffer {
  const header = Buffer.alloc(idHeaderBytes);
  header.writeUInt32BE(id, 1);
  return header;
}

function readNote(bytes: Buffer): TopicRecords['control'] {
  const note = decodeSchemaNote(bytes);
  if (note === undefined)
    throw invalid(
      'control',
      'it is a damaged schema note; if a schema id is unknown then, name it with crawlstream schemas teach',
    );
  return noteAsControl(note);
}

function write(type: Type, topic: AvroTopic, record: unknown, into: Buffer, from: number): number {
  try {
    return type.encode(record, into, from);
  } catch (cause) {
    throw invalid(topic, `it does not fit the schema: ${(cause as Error).message}`, cause);
  }
}

function read(type: Type, topic: AvroTopic, bytes: Buffer, from: number, resolver: Resolver | undefined): unknown {
  let decoded: { value: unknown; offset: number };
  try {
    decoded = type.decode(bytes, from, resolver);
  } catch (cause) {
    throw invalid(topic, (cause as Error).message, cause);
  }
  if (decoded.offset < 0) throw invalid(topic, 'it ends too early');
  if (decoded.offset !== bytes.length)
    throw invalid(topic, `${bytes.length - decoded.offset} extra bytes follow the end of the record`);
  return decoded.value;
}

/** The id or the fingerprint that a record carries; undefined: neither. */
export function schemaOfRecord(bytes: Buffer): number | string | undefined {
  if (bytes[0] !== 0) return fingerprintIn(bytes);
  return bytes.length < idHeaderBytes ? undefined : bytes.readUInt32BE(1);
}

/** The same, for the hot path. */
function schemaIn(bytes: Buffer, { usual, fingerprint }: TopicCodec): number | string | undefined {
  if (bytes[0] !== 0) return fingerprintIn(bytes, usual, fingerprint);
  return bytes.length < idHeaderBytes ? undefined : bytes.readUInt32BE(1);
}

/** Decides how records of a schema are read as today's type. */
async function learn(source: SchemaSource, subject: string, type: Type, ref: number | string): Promise<Reader> {
  try {
    const writer = typeOf(await schemaOf(source, subject, ref));
    if (writer.fingerprint().equals(type.fingerprint())) return 'current';
    return type.createResolver(writer);
  } catch (error) {
    if (!(error instanceof CrawlstreamError)) {
      const why = `schema ${ref} can't be read as ${type.name}: ${(error as Error).message}`;
      return new CrawlstreamError('INVALID_RECORD', why, error);
    }
    if (error.code === 'SCHEMA_UNKNOWN' && source.isWhole)
      return new CrawlstreamError('INVALID_RECORD', error.message, error);
    if (error.retriable) throw error;
    return error;
  }
}

function schemaOf(source: SchemaSource, subject: string, ref: number | string): Promise<object> {
  if (typeof ref === 'number') return source.schemaById(ref, subject);
  if (source.schemaByFingerprint === undefined) throw schemaUnknown(ref);
  return source.schemaByFingerprint(ref, subject);
}

function forgetErrors(readers: TopicCodec['readers']): void {
  for (const [id, reader] of readers) if (reader instanceof CrawlstreamError) readers.delete(id);
}

function invalid(topic: AvroTopic, why: string, cause?: unknown): CrawlstreamError {
  return new CrawlstreamError('INVALID_RECORD', `not a record of ${topic}: ${why}`, cause);
}
