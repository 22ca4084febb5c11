/** A capture with its payload, which may be elsewhere: revisits (WARC 1.1 §6.7) point to it, even in another file. */

import { CrawlstreamError } from '../../../../topology/errors.ts';
import { canParse } from '../../../../topology/url/can-parse.ts';
import type { ArchiveIndex } from './archive-index.ts';
import type { Capture } from './capture.ts';
import { type OpenRecord, openRecord } from './record-stream.ts';
import { replayLimits } from './replay-limits.ts';

export interface Memento {
  readonly status: number;
  /** Names in lower case, and values, alternating. */
  readonly headers: readonly string[];
  readonly bodyBytes: number | undefined;
  /** The body, in its content coding. */
  readonly body: AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

/** Throws INVALID_RECORD if nothing can be shown. */
export async function openMemento(index: ArchiveIndex, capture: Capture, revisits = 0): Promise<Memento> {
  const record = await openRecord(capture);
  if (record.type === 'revisit') {
    await record.close();
    return openRevisited(index, capture, record, revisits);
  }
  if (record.type === 'response' && record.head !== null) return { ...record, ...record.head };
  if (record.type === 'resource') {
    return { ...record, status: 200, headers: ['content-type', record.fields.get('content-type') ?? ''] };
  }
  await record.close();
  throw new CrawlstreamError(
    'INVALID_RECORD',
    `${capture.file}: the record of ${capture.url} is a ${record.type}, not a response`,
  );
}

async function openRevisited(
  index: ArchiveIndex,
  capture: Capture,
  { fields, head }: OpenRecord,
  revisits: number,
): Promise<Memento> {
  const fail = (why: string) =>
    new CrawlstreamError('INVALID_RECORD', `${capture.file}: ${capture.url} is a revisit record, but ${why}`);
  if (revisits >= replayLimits.revisitsMax) throw fail('it refers to another revisit record');
  const url = (fields.get('warc-refers-to-target-uri') ?? '').replace(/^<|>$/g, '') || capture.url;
  if (!canParse(url) || !/^https?:/i.test(url)) throw fail('it refers to an invalid URL');
  const at = Date.parse(fields.get('warc-refers-to-date') ?? '');
  const digest = (fields.get('warc-payload-digest') ?? '').replace(/^sha1:/, '');
  const found = await index.payload(new URL(url).href, Number.isNaN(at) ? null : at, digest);
  if (found === null) throw fail(`the payload (${url}) is in none of these files`);
  const memento = await openMemento(index, found, revisits + 1);
  // A 304 has no headers of the payload.
  const isNotModified = /server-not-modified/.test(fields.get('warc-profile') ?? '') || head?.status === 304;
  return head === null || isNotModified ? memento : { ...memento, ...head };
}
