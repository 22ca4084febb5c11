/** Reads records from the middle of WARC files, at the places in an index. */
import { type FileHandle, open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { archiveLimits } from './archive-limits.ts';
import { type HttpMessage, httpMessageOf } from './http-message.ts';
import type { IndexLine } from './merged-index.ts';
import { type RecordFields, recordHead } from './warc-reader.ts';

export interface IndexedRecord {
  readonly fields: RecordFields;
  /** Only the headers if the record is a revisit. */
  readonly message: HttpMessage;
}

export class IndexedRecords {
  /** By file; concurrent reads share one handle. */
  readonly #handles = new Map<string, Promise<FileHandle>>();

  /** The HTTP response of a record, or the beginning of a long one. Throws INVALID_RECORD if there is none. */
  async read({ file, offset, length, url }: IndexLine): Promise<IndexedRecord> {
    const fail = (why: string) =>
      new CrawlstreamError(
        'INVALID_RECORD',
        `${file}: the index has ${url} at ${offset}, but ${why}; rebuild the index`,
      );
    const handle = await this.#open(file);
    const wanted = Math.min(length, archiveLimits.indexedBytesMax);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(wanted), 0, wanted, offset);
    if (bytesRead < wanted) throw fail('the file ends before');
    const isZipped = buffer[0] === 0x1f && buffer[1] === 0x8b;
    const record = isZipped ? await unzipped(buffer, archiveLimits.indexedBytesMax) : buffer;
    const end = record.indexOf('\r\n\r\n');
    const fields = end < 0 ? null : recordHead(record.subarray(0, end));
    if (fields === null) throw fail('no record is there');
    const bytes = Number(fields.get('content-length') ?? record.length);
    const message = httpMessageOf(record.subarray(end + 4, end + 4 + bytes));
    if (message === null) throw fail('no response is there');
    return { fields, message };
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#handles.values());
    this.#handles.clear();
    for (const one of opened) if (one.status === 'fulfilled') await one.value.close();
  }

  #open(file: string): Promise<FileHandle> {
    const before = this.#handles.get(file);
    if (before !== undefined) return before;
    const opening = open(file);
    this.#handles.set(file, opening);
    // It may be there the next time.
    opening.catch(() => this.#handles.delete(file));
    return opening;
  }
}

/** Content of a gzip member, at most `bytesMax`. Of a damaged or cut member, the readable beginning. */
async function unzipped(member: Buffer, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const plain = createGunzip();
  plain.end(member);
  try {
    for await (const part of plain as AsyncIterable<Buffer>) {
      parts.push(part);
      bytes += part.length;
      if (bytes >= bytesMax) break;
    }
  } catch {
    // The end is missing, because only the beginning of the member was read.
  }
  return Buffer.concat(parts).subarray(0, bytesMax);
}
