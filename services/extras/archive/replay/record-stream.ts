/** Reads one record from the middle of a WARC file as a stream: its headers are in memory, its body is not. */
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { isChunked, unchunkedPieces } from '../chunked.ts';
import { type HttpMessage, httpMessageOf } from '../http-message.ts';
import type { Capture } from './capture.ts';
import { replayLimits } from './replay-limits.ts';

export interface OpenRecord {
  /** `response`, `revisit`, … in lower case. */
  readonly type: string;
  /** Names in lower case. */
  readonly fields: ReadonlyMap<string, string>;
  /** Without its body. Null: it has none. */
  readonly head: Pick<HttpMessage, 'status' | 'headers'> | null;
  /** Length of the body; undefined: the body ends with the connection. */
  readonly bodyBytes: number | undefined;
  /** In its content coding. To be read once, or the record to be closed. */
  readonly body: AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

const gap = Buffer.from('\r\n\r\n');

/** Throws INVALID_RECORD if the index is wrong. */
export async function openRecord({ file, offset, length, url }: Capture): Promise<OpenRecord> {
  const fail = (why: string) =>
    new CrawlstreamError('INVALID_RECORD', `${file}: the index has ${url} at ${offset}, but ${why}; rebuild the index`);
  const bytes = createBytes(bytesAt(file, offset, length));
  try {
    const text = (await bytes.until(gap))?.toString() ?? '';
    if (!/^WARC\/1\.\d\r\n/.test(text)) throw fail('no record is there');
    const fields = fieldsOf(text);
    const type = (fields.get('warc-type') ?? '').toLowerCase();
    let left = Number(fields.get('content-length'));
    if (!Number.isSafeInteger(left) || left < 0) throw fail('it has no Content-Length');
    if ((fields.get('warc-target-uri') ?? '') === '') throw fail('it has no URL');
    const isHttp = /^application\/http\b/i.test(fields.get('content-type') ?? '');
    let head: OpenRecord['head'] = null;
    if (isHttp && left > 0) {
      const block = await bytes.until(gap, left);
      if (block === null) throw fail('its HTTP head does not end');
      const message = httpMessageOf(block);
      head = message === null ? null : { status: message.status, headers: message.headers };
      left -= block.length;
    }
    const chunked = head !== null && isChunked(head.headers);
    const body = bytes.rest(left);
    return {
      ...{ type, fields, head, close: () => bytes.close() },
      bodyBytes: chunked ? undefined : left,
      body: chunked ? unchunkedPieces(body) : body,
    };
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

/** The bytes, decompressed if compressed. A damaged or cut record yields its readable beginning. */
async function* bytesAt(file: string, offset: number, length: number): AsyncGenerator<Buffer> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, offset);
    const packed = handle.createReadStream({ start: offset, end: offset + length - 1 });
    const closed = new Promise<void>((resolve) => packed.once('close', resolve));
    const isZipped = buffer[0] === 0x1f && buffer[1] === 0x8b;
    const plain = isZipped ? packed.pipe(createGunzip()) : packed;
    packed.on('error', (error) => plain.destroy(error));
    try {
      yield* plain as AsyncIterable<Buffer>;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code?.startsWith('Z_') !== true) throw error;
    } finally {
      packed.destroy();
      // The stream closes the handle: close() beside it would resolve before that is done.
      await closed;
    }
  } finally {
    await handle.close();
  }
}

interface Bytes {
  /** With the mark itself. Null: it does not come within the limits. */
  until(mark: Buffer, most?: number): Promise<Buffer | null>;
  /** At most `count` bytes; then nothing is open any more. */
  rest(count: number): AsyncGenerator<Buffer>;
  close(): Promise<void>;
}

function createBytes(source: AsyncGenerator<Buffer>): Bytes {
  let held: Buffer = Buffer.alloc(0);
  return {
    async until(mark, most = replayLimits.headBytesMax) {
      const bytesMax = Math.min(most, replayLimits.headBytesMax);
      for (;;) {
        const at = held.indexOf(mark);
        const end = at + mark.length;
        if (at >= 0 && end <= bytesMax) {
          const head = held.subarray(0, end);
          held = held.subarray(end);
          return head;
        }
        if (held.length >= bytesMax) return null;
        const { value, done } = await source.next();
        if (done) return null;
        held = Buffer.concat([held, value]);
      }
    },
    async *rest(count) {
      try {
        let left = count;
        while (left > 0) {
          if (held.length === 0) {
            const { value, done } = await source.next();
            if (done) return;
            held = value;
          }
          const part = held.subarray(0, left);
          left -= part.length;
          held = Buffer.alloc(0);
          yield part;
        }
      } finally {
        await source.return(undefined);
      }
    },
    close: async () => {
      await source.return(undefined);
    },
  };
}

function fieldsOf(head: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of head.split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return fields;
}
