/** The crawl's schemas for a process without its log: requested from the process with the log. */
import type { SchemaSource } from '../../runtime/avro/record-codec.ts';
import type { SchemaRegistry } from '../../runtime/avro/schema-registry.ts';
import type { Channel, Served } from '../../runtime/log/channel/message-channel.ts';

export function serveSchemas(registry: SchemaRegistry): Served {
  return { 'schemas.idFor': registry.idFor, 'schemas.byId': registry.schemaById };
}

export function schemasOverChannel(channel: Channel): SchemaSource {
  return {
    idFor: (subject, schema) => channel.call('schemas.idFor', subject, schema) as Promise<number | null>,
    schemaById: (id, subject) => channel.call('schemas.byId', id, subject) as Promise<object>,
    isWhole: true,
  };
}
