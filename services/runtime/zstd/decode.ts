/**
 * Decompresses zstd (RFC 8878) within bounds: `bytesMax` bytes come out at most, no frame asks for a window beyond
 * `windowBytesMax`, frames and blocks are counted (zstdLimits), and the buffer of a frame is no larger than its blocks
 * can fill. Checksums are checked where there are any.
 */

import { type ZstdFrame, zstdFrames } from './frames.ts';
import { undoFrame } from './library.ts';
import { zstdLimits } from './zstd-limits.ts';

export interface ZstdOutput {
  readonly body: Buffer;
  /** Something was left out: it is damaged, was cut, or there is more of it than asked for. */
  readonly truncated: boolean;
}

/** Null: nothing came out, or the stream asks for too much. After `loadZstd`. */
export function decodeZstd(body: Buffer, bytesMax: number, windowBytesMax: number): ZstdOutput | null {
  const found = zstdFrames(body, windowBytesMax);
  if (found === null) return null;
  const chunks: Buffer[] = [];
  let room = bytesMax;
  for (const frame of found.frames) {
    const undone = undoWhole(frame, room);
    const bytes = Buffer.isBuffer(undone) ? undone : beginningOf(frame, room);
    chunks.push(bytes.subarray(0, room));
    const isMore = bytes.length > room;
    room -= Math.min(bytes.length, room);
    if (isMore || bytes !== undone) return room === bytesMax ? null : { body: Buffer.concat(chunks), truncated: true };
  }
  return { body: Buffer.concat(chunks), truncated: found.isCut };
}

/** All of it or nothing. `damaged`: also what was cut, and what asks for too much. After `loadZstd`. */
export function decodeWholeZstd(
  body: Buffer,
  bytesMax: number,
  windowBytesMax: number,
): Buffer | 'tooMuch' | 'damaged' {
  const found = zstdFrames(body, windowBytesMax);
  if (found === null || found.isCut) return 'damaged';
  const chunks: Buffer[] = [];
  let room = bytesMax;
  for (const frame of found.frames) {
    const bytes = undoWhole(frame, room);
    if (!Buffer.isBuffer(bytes)) return bytes;
    if (bytes.length > room) return 'tooMuch';
    chunks.push(bytes);
    room -= bytes.length;
  }
  return Buffer.concat(chunks);
}

/** Up to a byte more than there is room for. */
function undoWhole(frame: ZstdFrame, room: number): Buffer | 'tooMuch' | 'damaged' {
  const { contentBytes, outputMax, blocks, isWhole } = frame;
  if (!isWhole) return 'damaged';
  const bytes = undoFrame(firstBlocks(frame, blocks.length, true), Math.min(outputMax.at(-1)!, room + 1));
  return Buffer.isBuffer(bytes) && contentBytes !== undefined && bytes.length !== contentBytes ? 'damaged' : bytes;
}

/**
 * The output of a frame that was cut, is damaged, or holds more than there is room for: as many of its blocks are tried
 * as should fill the room, then fewer or more, a few times.
 */
function beginningOf(frame: ZstdFrame, room: number): Buffer {
  const { outputMax, blocks } = frame;
  let best: Buffer = Buffer.alloc(0);
  let [good, bad] = [0, blocks.length + 1];
  const full = outputMax.findIndex((bytes) => bytes > room);
  let count = full < 0 ? blocks.length : full + 1;
  for (let left = zstdLimits.beginningsTriedMax; left > 0 && bad - good > 1; left--) {
    const capacity = Math.min(outputMax[count - 1]!, room + zstdLimits.blockBytesMax);
    const bytes = undoFrame(firstBlocks(frame, count, false), capacity);
    if (Buffer.isBuffer(bytes)) {
      [good, best] = [count, bytes];
      if (bytes.length > room) break;
    } else bad = count;
    count = bad > blocks.length ? Math.min(blocks.length, 2 * good) : (good + bad) >>> 1;
    if (count <= good) break;
  }
  return best;
}

/** The first blocks of a frame as a separate frame, with a header that does not give the output size. */
function firstBlocks(
  { body, windowByte, blocksStart, blocks, blocksEnd, checksum }: ZstdFrame,
  count: number,
  isAll: boolean,
): Buffer {
  const hasChecksum = isAll && checksum !== undefined;
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, hasChecksum ? 4 : 0, windowByte]);
  const content = body.subarray(blocksStart, blocks[count] ?? blocksEnd);
  const frame = Buffer.concat(hasChecksum ? [header, content, checksum] : [header, content]);
  frame[header.length + blocks[count - 1]! - blocksStart]! |= 1;
  return frame;
}
