/**
 * A record as a gzip member (RFC 1952; WARC 1.1, annex D). Bytes that are compressed already are put into stored blocks
 * (RFC 1951 §3.2.4): to compress them again takes the longest part of archiving a page, and gains nothing.
 */

import { promisify } from 'node:util';
import { constants, crc32, deflateRawSync, gzip, gzipSync, type ZlibOptions } from 'node:zlib';
import { archiveLimits } from './archive-limits.ts';
import { packedBytesOf, type WarcRecord, warcBytes } from './warc-record.ts';

const compress = promisify(gzip);
const smallWindowBits = 12;

/** Its file, if it has one, is not in it. */
export async function gzipMember(record: WarcRecord): Promise<Buffer> {
  const bytes = warcBytes(record);
  const packed = packedBytesOf(record);
  if (packed > 0) return partlyStored(bytes, bytes.length - packed);
  // A thread of zlib costs more than it saves on a short record, and both ways give the same bytes.
  return bytes.length <= archiveLimits.zippedHereBytesMax ? gzipSync(bytes, memoryFor(bytes.length)) : compress(bytes);
}

/**
 * A window and tables that fit the few lines of a request. Those of zlib are 268 KB, and its output 16 KB, which is
 * allocated, cleared and collected for each record.
 */
function memoryFor(bytes: number): ZlibOptions {
  return bytes <= 1 << smallWindowBits ? { windowBits: smallWindowBits, memLevel: 5, chunkSize: 1 << 10 } : {};
}

/** Ten bytes: deflate, no flags, no time, an unknown system. */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const trailerBytes = 8;
const storedBytesMax = 0xffff;
/** Whether it is the last, and the length twice, the second time with all bits turned over. */
const storedHeaderBytes = 5;

/** `bytes`, compressed up to `from`. */
export function partlyStored(bytes: Buffer, from: number): Buffer {
  const compressed = deflateRawSync(bytes.subarray(0, from), {
    ...memoryFor(from),
    finishFlush: constants.Z_SYNC_FLUSH,
  });
  const blocks = Math.max(1, Math.ceil((bytes.length - from) / storedBytesMax));
  const storedBytes = blocks * storedHeaderBytes + bytes.length - from;
  const member = Buffer.allocUnsafe(header.length + compressed.length + storedBytes + trailerBytes);
  let at = header.copy(member);
  at += compressed.copy(member, at);
  for (let block = 0; block < blocks; block++) {
    const begin = from + block * storedBytesMax;
    const end = Math.min(bytes.length, begin + storedBytesMax);
    at = member.writeUInt8(block === blocks - 1 ? 1 : 0, at);
    at = member.writeUInt16LE(end - begin, at);
    at = member.writeUInt16LE(storedBytesMax - (end - begin), at);
    at += bytes.copy(member, at, begin, end);
  }
  at = member.writeUInt32LE(crc32(bytes), at);
  member.writeUInt32LE(bytes.length % 2 ** 32, at);
  return member;
}
