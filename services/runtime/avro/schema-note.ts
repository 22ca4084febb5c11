/**
 * Schema notes: records on partition 0 of `control` with the schemas of a topic's records.
 *
 * With them, a crawl can read its own records even if the registry that assigned their ids is lost. Notes precede the
 * first record that refers to them, including the manifest, so they must be readable without anything else: they use
 * single-object encoding, with a frozen schema. A future format would be a second kind of note.
 */
import { blankControl } from '../../../schemas/blank.ts';
import type { Control } from '../../../schemas/types.ts';
import { typeOf } from './avro-types.ts';
import { fingerprint64, fingerprintIn, singleObjectHeader, singleObjectHeaderBytes } from './single-object.ts';

export interface SchemaNote {
  /** Name of the topic, without the crawl's. */
  readonly topic: string;
  /** Id in the records; -1: none, they have the schema's fingerprint. */
  readonly id: number;
  /** JSON, without docs. Empty: records with this id, or `fingerprint`, do not belong to the crawl. */
  readonly schema: string;
  /** Present if records with this fingerprint, and no id, do not belong to the crawl. */
  readonly fingerprint?: string;
  /** Noted by an operator, which takes precedence over what processes noted. */
  readonly told: boolean;
  readonly atMs: number;
  readonly by: string;
}

const frozen = {
  type: 'record',
  namespace: 'crawlstream',
  name: 'SchemaNote',
  fields: [
    { name: 'topic', type: 'string' },
    { name: 'id', type: 'long' },
    { name: 'schema', type: 'string' },
    { name: 'told', type: 'boolean' },
    { name: 'atMs', type: 'long' },
    { name: 'by', type: 'string' },
  ],
} as const;

const type = typeOf(frozen);
const refusedFingerprint = /^([a-z-]+) ([0-9a-f]{16})$/;
export const schemaNoteFingerprint = fingerprint64(frozen);
const header = singleObjectHeader(schemaNoteFingerprint);

export function encodeSchemaNote(note: SchemaNote): Buffer {
  // The schema is frozen, and releases that know no refusals of fingerprints pass over a note of id -1 without a schema.
  const topic = note.fingerprint === undefined ? note.topic : `${note.topic} ${note.fingerprint}`;
  return Buffer.concat([header, type.toBuffer({ ...note, topic })]);
}

export function isSchemaNote(value: Buffer): boolean {
  return fingerprintIn(value) === schemaNoteFingerprint;
}

/** Undefined if the record is not a note, or is damaged. */
export function decodeSchemaNote(value: Buffer): SchemaNote | undefined {
  if (!isSchemaNote(value)) return undefined;
  try {
    const note = type.fromBuffer(value.subarray(singleObjectHeaderBytes)) as SchemaNote;
    if (note.schema !== '') typeOf(JSON.parse(note.schema) as object);
    const [, topic, fingerprint] = refusedFingerprint.exec(note.topic) ?? [];
    if (topic === undefined || fingerprint === undefined || note.id >= 0 || note.schema !== '') return note;
    return { ...note, topic, fingerprint };
  } catch {
    return undefined;
  }
}

/** A note in the form that readers of `control` receive. */
export function noteAsControl({ topic, id, schema, atMs, by }: SchemaNote): Control {
  return { ...blankControl, kind: 'schema', atMs, by, payload: JSON.stringify({ topic, id, schema }) };
}
