/** The index of a WARC file without one, made in memory: for files that are small enough. */

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { canParse } from '../../../../topology/url/can-parse.ts';
import { cdxTime } from '../cdxj.ts';
import { httpMessageOf } from '../http-message.ts';
import { surtOf } from '../surt.ts';
import { recordHead } from '../warc-reader.ts';
import { replayLimits } from './replay-limits.ts';

/**
 * Sorted CDXJ lines. For a file that ends early (its writer was killed), the lines of its complete records. Throws
 * INVALID_RECORD if the file is not a WARC file, or is not compressed record by record.
 */
export async function indexOfFile(file: string): Promise<Buffer> {
  return indexOfBytes(await readFile(file), file);
}

/** The same for a file that is in memory. */
export function indexOfBytes(bytes: Buffer, file: string): Buffer {
  const fail = (at: number, why: string) => new CrawlstreamError('INVALID_RECORD', `${file}, at byte ${at}: ${why}`);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const isZipped = bytes[at] === 0x1f && bytes[at + 1] === 0x8b;
    let record: Buffer;
    let length: number;
    if (isZipped) {
      try {
        ({ record, length } = memberAt(bytes, at));
      } catch (cause) {
        if (lines.length > 0) break;
        throw fail(at, `it cannot be decompressed (${(cause as Error).message})`);
      }
    } else record = bytes.subarray(at);
    const end = record.indexOf('\r\n\r\n');
    if (end < 0 && !isZipped && lines.length > 0) break;
    const fields = end < 0 ? null : recordHead(record.subarray(0, end));
    if (fields === null) throw fail(at, 'no WARC record begins there');
    const blockBytes = Number(fields.get('content-length'));
    if (!Number.isSafeInteger(blockBytes) || blockBytes < 0) throw fail(at, 'a record has no Content-Length');
    if (end + 4 + blockBytes > record.length) {
      if (!isZipped && lines.length > 0) break;
      throw fail(at, 'the record is cut short');
    }
    const whole = end + 4 + blockBytes + 4;
    if (isZipped && record.length > whole) {
      throw fail(at, 'records are compressed together, but each needs its own gzip member; run warcio recompress');
    }
    length = isZipped ? length! : Math.min(whole, record.length);
    const line = lineOf(fields, record.subarray(end + 4, end + 4 + Math.min(blockBytes, replayLimits.headBytesMax)));
    if (line !== null)
      lines.push(
        `${line.slice(0, -1)},"length":"${length}","offset":"${at}","filename":${JSON.stringify(basename(file))}}`,
      );
    at += length;
  }
  return Buffer.from(
    lines
      .sort()
      .map((line) => `${line}\n`)
      .join(''),
  );
}

/** RFC 1952 §2.3. */
function memberAt(bytes: Buffer, at: number): { readonly record: Buffer; readonly length: number } {
  const flags = bytes[at + 3]!;
  let from = at + 10;
  if ((flags & 4) !== 0) from += 2 + bytes.readUInt16LE(from);
  for (const flag of [8, 16]) if ((flags & flag) !== 0) from = bytes.indexOf(0, from) + 1;
  if ((flags & 2) !== 0) from += 2;
  const options = { info: true, maxOutputLength: replayLimits.unpackedBytesMax };
  const { engine } = inflateRawSync(bytes.subarray(from), options) as unknown as { engine: { bytesWritten: number } };
  const end = from + engine.bytesWritten + 8;
  return {
    record: gunzipSync(bytes.subarray(at, end), { maxOutputLength: replayLimits.unpackedBytesMax }),
    length: end - at,
  };
}

/** Null: nothing of it can be shown. */
function lineOf(fields: ReadonlyMap<string, string>, block: Buffer): string | null {
  const type = (fields.get('warc-type') ?? '').toLowerCase();
  if (type !== 'response' && type !== 'revisit' && type !== 'resource') return null;
  const url = (fields.get('warc-target-uri') ?? '').replace(/^<|>$/g, '');
  const atMs = Date.parse(fields.get('warc-date') ?? '');
  if (!/^https?:/i.test(url) || !canParse(url) || Number.isNaN(atMs)) return null;
  const message = type === 'resource' ? null : httpMessageOf(block);
  const { headers = ['content-type', fields.get('content-type') ?? ''] } = message ?? {};
  const given = headers[headers.findIndex((name, at) => at % 2 === 0 && name === 'content-type') + 1] ?? '';
  const mime = type === 'revisit' ? 'warc/revisit' : (/^[\w.+-]+\/[\w.+-]+/.exec(given)?.[0]?.toLowerCase() ?? 'unk');
  const { href } = new URL(url);
  const digest = fields.get('warc-payload-digest') ?? '';
  return `${surtOf(href)} ${cdxTime(atMs)} ${JSON.stringify({ url: href, mime, status: `${message?.status ?? 200}`, digest })}`;
}
