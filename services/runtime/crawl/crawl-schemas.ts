/**
 * The schemas of a crawl on Kafka: first the crawl's own notes on `control`, then the registry.
 *
 * A registry may be left out on a command line, be wiped, or be restored from a backup with other schemas under its
 * ids. So before its first record, each writer notes the schema of each id or, without a registry, of each
 * fingerprint (schema-note.ts), and readers trust the notes. Notes are scoped by topic: two successive registries
 * rarely assign one id to two schemas of one topic, and if they do, writing under that id is refused.
 *
 * Why notes, and not a fingerprint in the headers of each record: records of other producers have none, dead letters
 * keep only a record's value, and a fingerprint does not give the schema of another release.
 */
import { avroSchemas } from '../../../schemas/avro.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { AvroTopic } from '../../../topology/topics.ts';
import { avroLimits } from '../avro/avro-limits.ts';
import { schemaByDerivedId } from '../avro/derived-ids.ts';
import type { SchemaSource } from '../avro/record-codec.ts';
import { decodeSchemaNote, encodeSchemaNote, type SchemaNote } from '../avro/schema-note.ts';
import type { SchemaRegistry } from '../avro/schema-registry.ts';
import { fingerprint64 } from '../avro/single-object.ts';
import type { Clock } from '../clock.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import { subjectsOwner } from './fleet-names.ts';

/** Registries assign ids of 31 bits; larger ids come from other software, and make some registries fail. */
const registryIdMax = 2 ** 31 - 1;

export interface CrawlSchemasOptions {
  readonly log: Pick<Log, 'append' | 'offsets' | 'partitionsOf' | 'reader'>;
  readonly crawl: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** null: none was named. */
  readonly registry: { readonly url: string; readonly schemas: SchemaRegistry } | null;
  /** Version of this program. */
  readonly by: string;
}

export interface CrawlSchemas extends SchemaSource {
  schemaByFingerprint(fingerprint: string, subject: string): Promise<object>;
  /**
   * Resolves once `control` has the schemas with which this process writes; true: this call has noted them. Throws
   * SCHEMA_CONFLICT if an id means another schema.
   */
  note(): Promise<boolean>;
  /** The note that counts for each topic and id, as of the last read. */
  notes(): readonly SchemaNote[];
  refresh(): Promise<void>;
}

export async function openCrawlSchemas(options: CrawlSchemasOptions): Promise<CrawlSchemas> {
  const schemas = new NotedSchemas(options);
  await schemas.refresh();
  return schemas;
}

class NotedSchemas implements CrawlSchemas {
  readonly #options: CrawlSchemasOptions;
  readonly #clock: CrawlSchemasOptions['clock'];
  readonly #control: string;
  readonly #byId = new Map<string, SchemaNote>();
  readonly #byFingerprint = new Map<string, SchemaNote>();
  /** By topic and fingerprint. */
  readonly #refused = new Map<string, SchemaNote>();
  /** The id with which this process writes records of each topic, or null. */
  readonly #own = new Map<AvroTopic, number | null>();
  /** Time of the last search for each unknown schema, ms. */
  readonly #missed = new Map<string, number>();
  #next = 0;
  #looking: Promise<void> = Promise.resolve();
  #mayNote = false;

  constructor(options: CrawlSchemasOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#control = `${options.crawl}.control`;
  }

  #remember(note: SchemaNote) {
    if (note.fingerprint !== undefined) this.#refused.set(nameOf(note.topic, note.fingerprint), note);
    const name = nameOf(note.topic, note.id);
    const there = this.#byId.get(name);
    if (note.id >= 0 && (there === undefined || note.told)) this.#byId.set(name, note);
    if (note.schema === '') return;
    const fingerprint = fingerprint64(JSON.parse(note.schema) as object);
    if (!this.#byFingerprint.has(fingerprint)) this.#byFingerprint.set(fingerprint, note);
    // A taught schema cancels an earlier note that its records are foreign.
    if (note.told) this.#refused.delete(nameOf(note.topic, fingerprint));
  }

  readonly #look = async () => {
    if ((await this.#options.log.partitionsOf(this.#control)) === 0) return;
    const { start, end } = await this.#options.log.offsets(this.#control, 0);
    if (end < this.#next) this.#next = 0;
    for await (const { value } of recordsOf(this.#options.log, this.#control, 0, Math.max(start, this.#next), end)) {
      const note = decodeSchemaNote(value);
      if (note !== undefined) this.#remember(note);
    }
    this.#next = end;
  };

  readonly refresh = () => {
    this.#looking = this.#looking.catch(() => {}).then(this.#look);
    return this.#looking;
  };

  #noteOf(topic: string, id: number | null, schema: object): SchemaNote {
    return {
      topic,
      id: id ?? -1,
      schema: withoutDocs(schema),
      told: false,
      atMs: this.#clock.nowMs(),
      by: this.#options.by,
    };
  }

  #isNoted(topic: AvroTopic, id: number | null) {
    if (id === null) return this.#byFingerprint.has(fingerprint64(avroSchemas[topic]));
    this.#checkId(topic, id);
    return this.#byId.has(nameOf(topic, id));
  }

  #checkId(topic: AvroTopic, id: number) {
    const note = this.#byId.get(nameOf(topic, id));
    if (note === undefined) return;
    const isOurs = note.schema !== '' && fingerprintOf(note) === fingerprint64(avroSchemas[topic]);
    if (!isOurs) throw conflict(this.#options, topic, id, note);
  }

  async #append(notes: readonly SchemaNote[]) {
    await this.#options.log.append(
      notes.map((note) => ({ topic: this.#control, partition: 0, key: null, value: encodeSchemaNote(note) })),
    );
  }

  /** Searches only the known notes. */
  #known(topic: AvroTopic, id: number): object | undefined {
    const note = this.#byId.get(nameOf(topic, id));
    if (note === undefined) return schemaByDerivedId(topic, id);
    if (note.schema === '') throw foreign(topic, id, note);
    return JSON.parse(note.schema) as object;
  }

  #knownFingerprint(topic: AvroTopic, fingerprint: string): object | undefined {
    const refusal = this.#refused.get(nameOf(topic, fingerprint));
    if (refusal !== undefined) throw foreign(topic, fingerprint, refusal);
    const note = this.#byFingerprint.get(fingerprint);
    return note === undefined ? undefined : (JSON.parse(note.schema) as object);
  }

  /** Searches again for an unknown schema, but not right after the last search. */
  async #search(ref: string, find: () => Promise<object | undefined>, unknown: () => CrawlstreamError) {
    const againMs = (this.#missed.get(ref) ?? Number.NEGATIVE_INFINITY) + avroLimits.unknownAgainMs;
    if (this.#clock.nowMs() >= againMs) {
      const found = await find();
      if (found !== undefined) return found;
      if (this.#missed.size >= avroLimits.unknownIdsMax) this.#missed.clear();
      this.#missed.set(ref, this.#clock.nowMs());
    }
    throw unknown();
  }

  async #fromRegistry(topic: AvroTopic, id: number): Promise<object | undefined> {
    if (this.#options.registry === null || id > registryIdMax) return undefined;
    try {
      const schema = await this.#options.registry.schemas.schemaById(id);
      // A process that may write `control` notes the schema, for readers after the registry is gone.
      if (this.#mayNote) this.#append([this.#noteOf(topic, id, schema)]).catch(() => {});
      return schema;
    } catch (error) {
      if (error instanceof CrawlstreamError && error.code === 'SCHEMA_UNKNOWN') return undefined;
      throw error;
    }
  }
  readonly idFor: CrawlSchemas['idFor'] = async (subject, schema) => {
    const topic = topicOf(subject, this.#options.crawl);
    const name = `${subjectsOwner(this.#options.crawl)}${subject.slice(this.#options.crawl.length)}`;
    const id = this.#options.registry === null ? null : await this.#options.registry.schemas.idFor(name, schema);
    if (id !== null) this.#checkId(topic, id);
    this.#own.set(topic, id);
    return id;
  };

  readonly schemaById: CrawlSchemas['schemaById'] = async (id, subject) => {
    const topic = topicOf(subject, this.#options.crawl);
    const there = this.#known(topic, id);
    if (there !== undefined) return there;
    const find = async () => {
      await this.refresh();
      return this.#known(topic, id) ?? this.#fromRegistry(topic, id);
    };
    return this.#search(nameOf(topic, id), find, () => unknownId(this.#options, topic, id));
  };

  readonly schemaByFingerprint: CrawlSchemas['schemaByFingerprint'] = async (fingerprint, subject) => {
    const topic = topicOf(subject, this.#options.crawl);
    const there = this.#knownFingerprint(topic, fingerprint);
    if (there !== undefined) return there;
    const find = async () => {
      await this.refresh();
      return this.#knownFingerprint(topic, fingerprint);
    };
    return this.#search(nameOf(topic, fingerprint), find, () => unknownFingerprint(this.#options, topic, fingerprint));
  };

  readonly note: CrawlSchemas['note'] = async () => {
    const missing = () => [...this.#own].filter(([topic, id]) => !this.#isNoted(topic, id));
    if (missing().length > 0) await this.refresh();
    const notes = missing().map(([topic, id]) => this.#noteOf(topic, id, avroSchemas[topic]));
    if (notes.length > 0) {
      await this.#append(notes);
      // If two processes note the same id at once, the first note counts, and the other process must not write under
      // the id.
      await this.refresh();
      if (missing().length > 0) throw new Error(`${this.#control}/0 lacks notes that were appended to it`);
    }
    this.#mayNote = true;
    return notes.length > 0;
  };

  readonly notes: CrawlSchemas['notes'] = () => [
    ...new Set([...this.#byId.values(), ...this.#byFingerprint.values(), ...this.#refused.values()]),
  ];
}

/** A log that delays its first append until the crawl's notes have this process's schemas. */
export function notingLog<T extends Pick<Log, 'append'>>(
  log: T,
  schemas: Pick<CrawlSchemas, 'note'>,
  onNotice?: (text: string) => void,
): T {
  let noted: Promise<unknown> | undefined;
  const note = async () => {
    try {
      await schemas.note();
    } catch (error) {
      // A process that may not write `control` reads it: the frontier, which is upgraded first, has noted the schemas.
      if (!(error instanceof CrawlstreamError && error.code === 'INVALID_ARGUMENT')) throw error;
      onNotice?.(`the schemas of this process could not be recorded on topic control: ${error.message}`);
    }
  };
  const append: Log['append'] = async (records, options) => {
    noted ??= note().catch((error) => {
      noted = undefined;
      throw error;
    });
    // Appends go out in the order of the calls: all wait for the same promise.
    await noted;
    return log.append(records, options);
  };
  return { ...log, append };
}

function nameOf(topic: string, ref: number | string): string {
  return `${topic} ${ref}`;
}

function topicOf(subject: string, crawl: string): AvroTopic {
  return subject.slice(crawl.length + 1, -'-value'.length) as AvroTopic;
}

function fingerprintOf(note: SchemaNote): string {
  return fingerprint64(JSON.parse(note.schema) as object);
}

/** Docs are left out, since reading needs none. */
function withoutDocs(schema: object): string {
  return JSON.stringify(schema, (key, value) => (key === 'doc' ? undefined : value));
}

/** The remedy if nothing else helps. */
function lastResort(crawl: string, topic: AvroTopic, ref: number | string): string {
  return `if these records do not belong to the crawl, make them dead letters: crawlstream schemas refuse --crawl ${crawl} --topic ${topic} --id ${ref}`;
}

function unknownId({ crawl, registry }: CrawlSchemasOptions, topic: AvroTopic, id: number): CrawlstreamError {
  const where = `records of ${crawl}.${topic} have schema id ${id}, which`;
  const teach = `if no registry has it, assign its schema with crawlstream schemas teach; ${lastResort(crawl, topic, id)}`;
  const message =
    registry === null
      ? `${where} is not recorded on ${crawl}.control, and --registry is missing: give the registry that assigned it; ${teach}`
      : `${where} is neither in the registry at ${registry.url} nor on ${crawl}.control: restore that registry, or give the one that assigned it with --registry; ${teach}`;
  return new CrawlstreamError('SCHEMA_UNKNOWN', message);
}

function unknownFingerprint({ crawl }: CrawlSchemasOptions, topic: AvroTopic, fingerprint: string): CrawlstreamError {
  const message = `records of ${crawl}.${topic} have the schema with fingerprint ${fingerprint}, which is unknown to this release and ${crawl}.control: start a frontier of the release that writes them, or update this process; ${lastResort(crawl, topic, fingerprint)}`;
  return new CrawlstreamError('SCHEMA_UNKNOWN', message);
}

function foreign(topic: AvroTopic, ref: number | string, { by }: SchemaNote): CrawlstreamError {
  const kind = typeof ref === 'number' ? 'schema id' : 'the schema with fingerprint';
  return new CrawlstreamError('INVALID_RECORD', `${kind} ${ref} was declared foreign to topic ${topic} by ${by}`);
}

function conflict({ crawl, registry }: CrawlSchemasOptions, topic: AvroTopic, id: number, { by, atMs }: SchemaNote) {
  const since = `${new Date(atMs).toISOString()} (${by})`;
  const message = `the registry at ${registry?.url} assigns id ${id} to the schema of ${topic}, but ${crawl}.${topic} uses this id for another schema since ${since}, so records would be misread: restore the registry that the crawl was written with, or remove --registry`;
  return new CrawlstreamError('SCHEMA_CONFLICT', message);
}
