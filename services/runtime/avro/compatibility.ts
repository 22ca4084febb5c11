/**
 * Schema compatibility, both ways (Confluent's FULL; over every earlier version, FULL_TRANSITIVE): during a rolling
 * upgrade frontiers and fetchers of both versions read each other's records.
 */
import { typeOf } from './avro-types.ts';

/** Returns the reasons why records of one schema cannot be read with the other; empty: they can, both ways. */
export function incompatibilities(older: object, newer: object): string[] {
  return [
    ...unreadable(older, newer, 'new readers, old records'),
    ...unreadable(newer, older, 'old readers, new records'),
  ];
}

function unreadable(writer: object, reader: object, what: string): string[] {
  try {
    typeOf(reader).createResolver(typeOf(writer));
    return [];
  } catch (error) {
    return [`${what}: ${(error as Error).message}`];
  }
}
