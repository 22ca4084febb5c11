/** The record of a finished URL as bytes, in changes and in the checkpoint. The order of each list is the format. */
import { type OutcomeKind, outcomeKinds } from '../../../schemas/types.ts';
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import { pick } from '../storage/fields.ts';
import type { FinalStatus, KnownUrl, UrlRecord } from './changes.ts';

export const finalStatuses = [
  'page',
  'redirected',
  'denied',
  'failed',
  'dead',
] as const satisfies readonly FinalStatus[];
const knownStatuses = [...finalStatuses, 'known'] as const satisfies readonly KnownUrl['status'][];

/**
 * A 402 is stored as a client error, as earlier releases knew it and must be able to read: its status distinguishes it.
 */
const kept = (outcome: OutcomeKind): OutcomeKind => (outcome === 'paymentRequired' ? 'clientError' : outcome);

const soft404Flag = 1;
const barrenFlag = 2;
const tagsFlag = 4;
const spellingFlag = 8;
/** Flag of a page's record: the gain of its visits follows at its end (page-record.ts). */
const gainFlag = 16;

export function writeUrlRecord(writer: ByteWriter, record: KnownUrl, hasGain = false): void {
  writer.string(record.url);
  writer.byte(knownStatuses.indexOf(record.status));
  writer.byte(outcomeKinds.indexOf(kept(record.outcome)));
  writer.uint(record.httpStatus);
  writer.uint(record.atMs);
  writer.uint(record.attempts);
  writer.uint(record.depth);
  writer.string(record.etag);
  writer.string(record.lastModified);
  writer.string(record.contentHash);
  const { soft404, barren, tags = 0, spelling = '' } = record;
  const marks = (soft404 ? soft404Flag : 0) | (barren === true ? barrenFlag : 0);
  writer.byte(marks | (tags > 0 ? tagsFlag : 0) | (spelling === '' ? 0 : spellingFlag) | (hasGain ? gainFlag : 0));
  if (tags > 0) writer.uint(tags);
  if (spelling !== '') writer.string(spelling);
}

export function readUrlRecord(reader: ByteReader): UrlRecord {
  return readRecord(reader, finalStatuses).record;
}

/** Reads the beginning of a page's record. `hasGain`: the gain of its visits follows at its end. */
export function readPagesUrlRecord(reader: ByteReader): { readonly record: UrlRecord; readonly hasGain: boolean } {
  return readRecord(reader, finalStatuses);
}

export function readKnownUrl(reader: ByteReader): KnownUrl {
  return readRecord(reader, knownStatuses).record;
}

function readRecord<S extends KnownUrl['status']>(reader: ByteReader, statuses: readonly S[]) {
  const record = {
    url: reader.string(),
    status: pick(statuses, reader.byte(), 'status'),
    outcome: pick(outcomeKinds, reader.byte(), 'outcome'),
    httpStatus: reader.uint(),
    atMs: reader.uint(),
    attempts: reader.uint(),
    depth: reader.uint(),
    etag: reader.string(),
    lastModified: reader.string(),
    contentHash: reader.string(),
  };
  const flags = reader.byte();
  if (record.outcome === 'clientError' && record.httpStatus === 402) record.outcome = 'paymentRequired';
  const known = { ...record, soft404: (flags & soft404Flag) !== 0 };
  const marks = (flags & barrenFlag) === 0 ? known : { ...known, barren: true as const };
  const tagged = (flags & tagsFlag) === 0 ? marks : { ...marks, tags: reader.uint() };
  const spelt = (flags & spellingFlag) === 0 ? tagged : { ...tagged, spelling: reader.string() };
  return { record: spelt, hasGain: (flags & gainFlag) !== 0 };
}
