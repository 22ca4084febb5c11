/**
 * Rows of a dump in a changelog: decisions of another crawl.
 *
 * Queued URLs, facts of hosts, traps and the policy are loaded by the changes that decisions make, too. A row exists
 * only for facts without such a change. Part of the changelog's format: append, never reorder.
 */
import { CrawlstreamError } from '../../errors.ts';
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { FinalStatus, KnownUrl } from './changes.ts';
import type { Entry } from './entry.ts';
import { readEntry, writeEntry } from './entry.ts';
import { type PageRecord, readPageRecord, writePageRecord } from './page-record.ts';
import { finalStatuses, readKnownUrl, writeUrlRecord } from './url-record-bytes.ts';

export type LoadRow =
  /**
   * Finished URLs, which are admitted and keep their final status; or URLs known from elsewhere, which are not
   * admitted.
   */
  | { readonly row: 'known'; readonly urls: readonly KnownUrl[] }
  /**
   * A URL that returned to its host's queue. `known`: it was finished before, and forced. `normal`: the known spelling;
   * the entry's spelling may be that of a redirect.
   */
  | {
      readonly row: 'again';
      readonly hostKey: string;
      readonly known: boolean;
      readonly dueAtMs: number;
      readonly entry: Entry;
      readonly normal: string;
    }
  /** A budget key's account; it is joined with one that is there. `sources`: see budgets/source-sketch.ts. */
  | {
      readonly row: 'account';
      readonly key: string;
      readonly period: number;
      readonly used: number;
      readonly sources: readonly number[];
    }
  /** Number of known URLs that were forced and finished again; only their last record is kept. */
  | { readonly row: 'repeated'; readonly status: FinalStatus; readonly count: number }
  /** A finished URL that will be revisited. */
  | { readonly row: 'page'; readonly hostKey: string; readonly dueAtMs: number; readonly page: PageRecord }
  /** Purged URLs of a host: their fingerprints, as pairs. */
  | { readonly row: 'purged'; readonly hostKey: string; readonly fingerprints: readonly number[] }
  /**
   * Progress of a load: the next line of `source`. While `isDone` is false, no frontier may decide on this partition.
   */
  | { readonly row: 'progress'; readonly source: string; readonly line: number; readonly isDone: boolean };

/** Progress of the newest load of a partition. */
export type LoadProgress = Omit<LoadRow & { readonly row: 'progress' }, 'row'>;

export const noLoad: LoadProgress = { source: '', line: 0, isDone: true };

const rows = [
  'known',
  'again',
  'account',
  'repeated',
  'progress',
  'page',
  'purged',
] as const satisfies readonly LoadRow['row'][];

export function writeLoadRow(writer: ByteWriter, one: LoadRow): void {
  writer.byte(rows.indexOf(one.row));
  switch (one.row) {
    case 'known':
      writer.uint(one.urls.length);
      for (const record of one.urls) writeUrlRecord(writer, record);
      return;
    case 'again':
      writer.string(one.hostKey);
      writer.boolean(one.known);
      writer.uint(one.dueAtMs);
      writeEntry(writer, one.entry);
      writer.string(one.normal === one.entry.url ? '' : one.normal);
      return;
    case 'account':
      writer.string(one.key);
      writer.uint(one.period);
      writer.uint(one.used);
      writer.uint(one.sources.length);
      for (const source of one.sources) writer.int(source);
      return;
    case 'repeated':
      writer.byte(finalStatuses.indexOf(one.status));
      writer.uint(one.count);
      return;
    case 'page':
      writer.string(one.hostKey);
      writer.uint(one.dueAtMs);
      return writePageRecord(writer, one.page);
    case 'purged':
      writer.string(one.hostKey);
      writer.uint(one.fingerprints.length);
      for (const word of one.fingerprints) writer.uint(word);
      return;
    case 'progress':
      writer.string(one.source);
      writer.uint(one.line);
      writer.boolean(one.isDone);
  }
}

export function readLoadRow(reader: ByteReader): LoadRow {
  const row = rows[reader.byte()];
  switch (row) {
    case 'known':
      return { row, urls: list(reader, () => readKnownUrl(reader)) };
    case 'again': {
      const [hostKey, known, dueAtMs, entry] = [reader.string(), reader.boolean(), reader.uint(), readEntry(reader)];
      return { row, hostKey, known, dueAtMs, entry, normal: reader.string() || entry.url };
    }
    case 'account': {
      const [key, period, used] = [reader.string(), reader.uint(), reader.uint()];
      return { row, key, period, used, sources: list(reader, () => reader.int()) };
    }
    case 'repeated': {
      const status = finalStatuses[reader.byte()];
      if (status === undefined) throw unreadable();
      return { row, status, count: reader.uint() };
    }
    case 'page':
      return { row, hostKey: reader.string(), dueAtMs: reader.uint(), page: readPageRecord(reader) };
    case 'purged':
      return { row, hostKey: reader.string(), fingerprints: list(reader, () => reader.uint()) };
    case 'progress':
      return { row, source: reader.string(), line: reader.uint(), isDone: reader.boolean() };
    default:
      throw unreadable();
  }
}

function list<T>(reader: ByteReader, read: () => T): T[] {
  const items: T[] = [];
  for (let left = reader.uint(); left > 0; left--) items.push(read());
  return items;
}

function unreadable(): CrawlstreamError {
  return new CrawlstreamError(
    'INVALID_RECORD',
    'the changelog contains a loaded row of a kind that this release does not know',
  );
}
