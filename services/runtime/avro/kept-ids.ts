/**
 * A registry that requests the id of each schema only once: a process that opens many crawls continues with the cached
 * ids, with or without the registry.
 */
import { fingerprintOf } from './avro-types.ts';
import type { SchemaRegistry } from './schema-registry.ts';

/** Failed requests are repeated. */
export function keptIds(registry: SchemaRegistry): SchemaRegistry {
  const ids = new Map<string, Promise<number>>();
  return {
    idFor(subject, schema) {
      const key = `${subject} ${fingerprintOf(schema)}`;
      let id = ids.get(key);
      if (id === undefined) {
        id = registry.idFor(subject, schema);
        ids.set(key, id);
        id.catch(() => ids.delete(key));
      }
      return id;
    },
    schemaById: (id) => registry.schemaById(id),
  };
}
