/**
 * A source of schemas for processes without a registry and without a crawl's notes: it knows only those of this
 * release.
 */
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
