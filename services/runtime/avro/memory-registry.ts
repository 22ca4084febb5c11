/** The registry's twin in memory, for tests and the simulator. */
import { fingerprintOf } from './avro-types.ts';
import { type SchemaRegistry, schemaUnknown } from './schema-registry.ts';

/** `firstId`: where numbering starts, to try records against a registry that gave out other ids. */
export function createMemoryRegistry(firstId = 1): SchemaRegistry {
  const ids = new Map<string, number>();
  const schemas: object[] = [];
  return {
    idFor: async (subject, schema) => {
      const name = `${subject} ${fingerprintOf(schema)}`;
      const there = ids.get(name);
      if (there !== undefined) return there;
      const id = firstId + schemas.push(schema) - 1;
      ids.set(name, id);
      return id;
    },
    schemaById: async (id) => {
      const schema = schemas[id - firstId];
      if (!schema) throw schemaUnknown(id);
      return schema;
    },
  };
}
