/**
 * Reads WARC files, compressed or not, of any version 1.x, record by record, in bounded memory.
 *
 * A file that ends early (its writer was killed) yields its complete records and then throws INVALID_RECORD.
 */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { archiveLimits } from './archive-limits.ts';

/** Names in lower case. */
export type RecordFields = ReadonlyMap<string, string>;

export interface ReadRecord {
  /** `response`, `revisit`, … in lower case. */
  readonly type: string;
  readonly fields: RecordFields;
  readonly block: Buffer;
}

const headBytesMax = 64 * 1024;

/** The file is closed at the end, also if the reader stops earlier. */
export async function* readWarc(path: string): AsyncGenerator<ReadRecord> {
  const { stream, close } = await openWarc(path);
  try {
    const input = bytesOf(stream);
    for (let number = 1; ; number++) {
      const place = `${path}, record ${number}`;
      const head = await input.until('\r\n\r\n', headBytesMax);
      if (head === null) {
        if (input.isEmpty) return;
        throw damaged(place, input.failure ?? 'it ends in the middle of a record');
      }
      const fields = recordHead(head);
      if (fields === null) throw damaged(place, 'no WARC record begins there');
      const length = Number(fields.get('content-length'));
      if (!Number.isSafeInteger(length) || length < 0) throw damaged(place, 'it has no Content-Length');
      if (length > archiveLimits.recordBytesMax) throw damaged(place, `it is ${length} bytes long`);
      const block = await input.take(length);
      if (block === null) throw damaged(place, input.failure ?? 'it ends in the middle of a record');
      await input.skip('\r\n\r\n');
      yield { type: (fields.get('warc-type') ?? '').toLowerCase(), fields, block };
    }
  } finally {
    close();
  }
}

async function openWarc(path: string): Promise<{ readonly stream: Readable; close(): void }> {
  const start = await firstBytes(path).catch((cause: Error) => {
    throw new CrawlstreamError('INVALID_ARGUMENT', `${path} cannot be read: ${cause.message}`, cause);
  });
  const file = createReadStream(path);
  if (start[0] !== 0x1f || start[1] !== 0x8b) return { stream: file, close: () => file.destroy() };
  const plain = createGunzip();
  file.on('error', (error) => plain.destroy(error));
  // A pipe leaves its source open where its end is destroyed.
  plain.on('close', () => file.destroy());
  return { stream: file.pipe(plain), close: () => plain.destroy() };
}

async function firstBytes(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    return (await handle.read(Buffer.alloc(2), 0, 2, 0)).buffer;
  } finally {
    await handle.close();
  }
}

interface Bytes {
  /** True at the end of the input. */
  readonly isEmpty: boolean;
  /** The error that ended the input early. */
  readonly failure: string | null;
  /** Reads up to `end`, which is skipped and not returned; null: `end` does not follow. */
  until(end: string, bytesMax: number): Promise<Buffer | null>;
  take(count: number): Promise<Buffer | null>;
  /** Skips these bytes if they are next. */
  skip(text: string): Promise<void>;
}

function bytesOf(stream: Readable): Bytes {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let held: Buffer = Buffer.alloc(0);
  let failure: string | null = null;

  const more = async (): Promise<Buffer | null> => {
    try {
      const { value, done } = await chunks.next();
      return done ? null : value;
    } catch (error) {
      failure = (error as Error).message;
      return null;
    }
  };

  /** Tries to have `count` bytes in memory. Chunks are joined once, whatever their number. */
  const hold = async (count: number): Promise<boolean> => {
    const parts = [held];
    let bytes = held.length;
    while (bytes < count) {
      const chunk = await more();
      if (chunk === null) break;
      parts.push(chunk);
      bytes += chunk.length;
    }
    held = parts.length === 1 ? held : Buffer.concat(parts);
    return bytes >= count;
  };

  const eat = (count: number): Buffer => {
    const eaten = held.subarray(0, count);
    held = held.subarray(count);
    return eaten;
  };

  return {
    get isEmpty() {
      return held.length === 0 && failure === null;
    },
    get failure() {
      return failure;
    },
    async until(end, bytesMax) {
      for (;;) {
        const at = held.indexOf(end);
        if (at >= 0) return eat(at + end.length).subarray(0, at);
        if (held.length > bytesMax || !(await hold(held.length + 1))) return null;
      }
    },
    async take(count) {
      return (await hold(count)) ? eat(count) : null;
    },
    async skip(text) {
      await hold(text.length);
      if (held.subarray(0, text.length).equals(Buffer.from(text))) eat(text.length);
    },
  };
}

/** Parses the bytes up to a record's empty line. Null: they are not the head of a WARC record. */
export function recordHead(head: Buffer): RecordFields | null {
  const [version = '', ...lines] = head.toString('utf8').split('\r\n');
  if (!/^\s*WARC\/1\.\d$/.test(version)) return null;
  const fields = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return fields;
}

function damaged(place: string, why: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_RECORD', `${place}: ${why}`);
}
