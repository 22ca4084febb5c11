/**
 * The registry of a run, which may forget all schemas, and then assigns ids that belonged to other topics before. Also
 * the codecs over it: each process opens the crawl's schemas as it does on Kafka, and observers know all schemas.
 */
import { avroSchemas } from '../../schemas/avro.ts';
import { openCodec, type RecordCodec } from '../../services/runtime/avro/record-codec.ts';
import { type SchemaRegistry, schemaUnknown } from '../../services/runtime/avro/schema-registry.ts';
import type { Clock } from '../../services/runtime/clock.ts';
import { notingLog, openCrawlSchemas } from '../../services/runtime/crawl/crawl-schemas.ts';
import type { Log } from '../../services/runtime/log/log.ts';
import type { AvroTopic } from '../../topology/topics.ts';

export interface SimRegistry {
  /** `shift`: offset of ids from topic to topic; 0: it assigns the earlier ids. */
  forget(shift: number): void;
  /** True if processes that start from now on use it. */
  isNamed: boolean;
  open<T extends Log>(log: T, clock: Clock, crawl: string): Promise<{ readonly log: T; readonly codec: RecordCodec }>;
}

const names = Object.keys(avroSchemas) as AvroTopic[];
export const idShiftMax = names.length - 1;

export function createSimRegistry(): SimRegistry {
  const given = new Map<number, object>();
  let shifted = 0;
  const schemas: SchemaRegistry = {
    idFor: async (subject, schema) => {
      const place = names.findIndex((name) => subject.endsWith(`.${name}-value`));
      const id = 1 + ((place + shifted) % names.length);
      given.set(id, schema);
      return id;
    },
    schemaById: async (id) => given.get(id) ?? Promise.reject(schemaUnknown(id)),
  };
  const registry: SimRegistry = {
    isNamed: true,
    forget(shift) {
      given.clear();
      shifted += shift;
    },
    async open(log, clock, crawl) {
      const named = registry.isNamed ? { url: 'http://registry', schemas } : null;
      const source = await openCrawlSchemas({ log, crawl, clock, registry: named, by: 'simulation' });
      return { log: notingLog(log, source), codec: await openCodec(source, crawl) };
    },
  };
  return registry;
}

/** Reads records of any writer, and writes by fingerprint. */
export async function openWatchersCodec(crawl: string): Promise<RecordCodec> {
  const nameOf = (subject: string) => subject.slice(crawl.length + 1, -'-value'.length) as AvroTopic;
  const source = {
    idFor: async () => null,
    schemaById: async (_: number, subject: string) => avroSchemas[nameOf(subject)],
  };
  const codec = await openCodec(source, crawl);
  for (const topic of names) {
    for (let id = 1; id <= names.length; id++) await codec.prepare(topic, Buffer.from([0, 0, 0, 0, id]));
  }
  return codec;
}
