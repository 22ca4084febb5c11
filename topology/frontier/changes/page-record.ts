/**
 * The record of a URL with revisits, and its visits' findings. A row of the checkpoint, by fingerprint, with the same
 * key and the same beginning as the record of a URL without revisits.
 */
import type { Gain } from '../../policy/recrawl/gain.ts';
import type { PageHistory } from '../../policy/recrawl/history.ts';
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { UrlRecord } from './changes.ts';
import type { Entry } from './entry.ts';
import { readPagesUrlRecord, writeUrlRecord } from './url-record-bytes.ts';

export interface PageRecord {
  /** Time of the last successful visit. */
  readonly record: UrlRecord;
  /** Front queue it counts by. */
  readonly frontQueue: number;
  /** The last visit that could show a change; 0: none yet. */
  readonly visitedAtMs: number;
  /** Time of the last visit that found a change, or of the first visit. */
  readonly changedAtMs: number;
  readonly history: PageHistory;
  /** Signature of the main text at its last change (content/text-signature.ts). Empty: none. */
  readonly signature: string;
  /** Consecutive visits with a temporary failure. */
  readonly failures: number;
  /** New URLs that its visits brought, if the policy visits hubs. Absent: none. */
  readonly gain?: Gain;
}

export function writePageRecord(writer: ByteWriter, page: PageRecord): void {
  const { gain } = page;
  writeUrlRecord(writer, page.record, gain !== undefined);
  writer.byte(page.frontQueue);
  writer.uint(page.visitedAtMs);
  writer.uint(page.changedAtMs);
  const { changes, changedS, changedSquares, unchanged, unchangedS, recent, intervalS } = page.history;
  writer.uint(changes);
  writer.uint(changedS);
  writer.uint(changedSquares);
  writer.uint(unchanged);
  writer.uint(unchangedS);
  writer.uint(recent);
  writer.uint(intervalS);
  writer.string(page.signature);
  writer.uint(page.failures);
  if (gain === undefined) return;
  writer.uint(gain.urls);
  writer.uint(gain.seconds);
  writer.uint(gain.visits);
}

export function readPageRecord(reader: ByteReader): PageRecord {
  const { record, hasGain } = readPagesUrlRecord(reader);
  const page = {
    record,
    frontQueue: reader.byte(),
    visitedAtMs: reader.uint(),
    changedAtMs: reader.uint(),
    history: {
      changes: reader.uint(),
      changedS: reader.uint(),
      changedSquares: reader.uint(),
      unchanged: reader.uint(),
      unchangedS: reader.uint(),
      recent: reader.uint(),
      intervalS: reader.uint(),
    },
    signature: reader.string(),
    failures: reader.uint(),
  };
  if (!hasGain) return page;
  return { ...page, gain: { urls: reader.uint(), seconds: reader.uint(), visits: reader.uint() } };
}

/** The page as an entry of a lease. */
export function entryOfPage({ record, frontQueue, failures }: PageRecord): Entry {
  const { url, depth, tags, spelling } = record;
  const entry = { url, depth, hop: 0, attempts: failures, expiries: 0, frontQueue };
  const tagged = tags === undefined ? entry : { ...entry, tags };
  return spelling === undefined ? tagged : { ...tagged, spelling };
}

/** The row of a URL that was fetched or given up. */
export function urlRowKey(hi: number, lo: number): Buffer {
  const key = Buffer.allocUnsafe(9);
  key[0] = 0x75;
  key.writeUInt32BE(hi, 1);
  key.writeUInt32BE(lo, 5);
  return key;
}
