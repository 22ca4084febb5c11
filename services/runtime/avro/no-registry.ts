/** A source of schemas for who has no registry and no crawl's notes: records of this release alone. */
import type { SchemaSource } from './record-codec.ts';
import { schemaUnknown } from './schema-registry.ts';

export function createNoRegistry(): SchemaSource {
  return {
    idFor: async () => null,
    schemaById: async (id) => {
      throw schemaUnknown(id);
    },
  };
}
