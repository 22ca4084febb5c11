/**
 * Reads the gzip members of our WARC files, each with its place: one record each (WARC 1.1, annex D). Memory: a record,
 * and the bytes read ahead.
 */
import { open } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { archiveLimits } from '../archive-limits.ts';

export interface Member {
  readonly offset: number;
  /** As stored in the file. */
  readonly bytes: Buffer;
  readonly record: Buffer;
}

const readBytes = 1 << 20;
/** RFC 1952 §2.3: a header without optional fields, and the checksum and length at the end. */
const headBytes = 10;
const tailBytes = 8;

/** `from`: start of a member. Throws INVALID_RECORD if a file is damaged, or ends in the middle of a record. */
export async function* membersOf(path: string, from = 0): AsyncGenerator<Member> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    let held: Buffer = Buffer.alloc(0);
    let at = 0;
    for (let offset = from; offset < size; ) {
      const record = at < held.length ? inflated(held.subarray(at), path, offset) : null;
      if (record !== null) {
        yield { offset, bytes: held.subarray(at, at + record.length), record: record.plain };
        at += record.length;
        offset += record.length;
        continue;
      }
      const rest = held.subarray(at);
      const from = offset + rest.length;
      if (from >= size) throw damaged(path, offset, 'it ends in the middle of a record');
      const wanted = Math.min(size - from, Math.max(readBytes, 4 * rest.length));
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(wanted), 0, wanted, from);
      held = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      at = 0;
    }
  } finally {
    await handle.close();
  }
}

/** Null: the member continues beyond these bytes. */
function inflated(bytes: Buffer, path: string, offset: number): { plain: Buffer; length: number } | null {
  if (bytes.length < headBytes) return null;
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[3] !== 0) {
    throw damaged(path, offset, 'no record of this archive starts there');
  }
  try {
    const options = { info: true, maxOutputLength: archiveLimits.recordBytesMax };
    const done = inflateRawSync(bytes.subarray(headBytes), options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    const length = headBytes + done.engine.bytesWritten + tailBytes;
    return length > bytes.length ? null : { plain: done.buffer, length };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR') return null;
    throw damaged(path, offset, (error as Error).message);
  }
}

function damaged(path: string, offset: number, why: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_RECORD', `${path}, at ${offset}: ${why}`);
}
