/**
 * The registry port: schemas under numbers, as the Confluent wire format refers to them.
 *
 * A schema is identified by the fingerprint of its canonical form (docs, defaults and aliases do not count, because
 * they do not change the bytes). So one registry always returns the same id for a schema, whatever the ids of other
 * registries.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { StateStore, StoreOp } from '../store/store.ts';
import { fingerprintOf } from './avro-types.ts';

export interface SchemaRegistry {
  /** The id of a schema under a subject (`crawl.discovered-value`); registers it if it is new. */
  idFor(subject: string, schema: object): Promise<number>;
  /** The ids of several schemas, in their order, at the cost of one call. Absent: each costs a call. */
  idsFor?(schemas: readonly NamedSchema[]): Promise<readonly number[]>;
  /** Throws SCHEMA_UNKNOWN. */
  schemaById(id: number): Promise<object>;
  /** True if the registry is stored with the records, and nothing else gives ids. */
  readonly isWhole?: boolean;
}

export type NamedSchema = readonly [subject: string, schema: object];

/** Keys `S <id u32>`, values JSON {subject, schema}; beside the log's rows in the same store. */
const space = 0x53;

export function createEmbeddedRegistry(store: StateStore): SchemaRegistry {
  let known: Promise<Map<string, number>> | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  const load = async () => {
    const ids = new Map<string, number>();
    for await (const [key, value] of store.scan({ gte: Buffer.from([space]), lt: Buffer.from([space + 1]) })) {
      const { subject, schema } = JSON.parse(value.toString()) as { subject: string; schema: object };
      ids.set(`${subject} ${fingerprintOf(schema)}`, key.readUInt32BE(1));
    }
    return ids;
  };

  const register = async (schemas: readonly NamedSchema[]): Promise<number[]> => {
    const ids = await (known ??= load());
    const news = new Map<string, number>();
    const rows: StoreOp[] = [];
    let last = Math.max(0, ...ids.values());
    const all = schemas.map(([subject, schema]) => {
      const name = `${subject} ${fingerprintOf(schema)}`;
      const there = ids.get(name) ?? news.get(name);
      if (there !== undefined) return there;
      rows.push({ key: rowKey(++last), value: Buffer.from(JSON.stringify({ subject, schema })) });
      news.set(name, last);
      return last;
    });
    // Durable before the first record that refers to it.
    if (rows.length > 0) await store.write(rows, { sync: true });
    for (const [name, id] of news) ids.set(name, id);
    return all;
  };
  const idsFor = (schemas: readonly NamedSchema[]) => {
    const done = queue.then(() => register(schemas));
    queue = done.catch(() => {});
    return done;
  };

  return {
    isWhole: true,
    idsFor,
    idFor: async (subject, schema) => (await idsFor([[subject, schema]]))[0]!,
    schemaById: async (id) => {
      const value = await store.get(rowKey(id));
      if (!value) throw schemaUnknown(id);
      return (JSON.parse(value.toString()) as { schema: object }).schema;
    },
  };
}

/** `ref`: an id, or a fingerprint. */
export function schemaUnknown(ref: number | string): CrawlstreamError {
  const what = typeof ref === 'number' ? `schema id ${ref}` : `the schema of fingerprint ${ref}`;
  return new CrawlstreamError(
    'SCHEMA_UNKNOWN',
    `${what} is not in the registry: check --registry, or run a newer release`,
  );
}

function rowKey(id: number): Buffer {
  const key = Buffer.from([space, 0, 0, 0, 0]);
  key.writeUInt32BE(id, 1);
  return key;
}
