/**
 * Decompresses zstd (RFC 8878) within bounds: at most `bytesMax` bytes of output, no frame with a window beyond
 * `windowBytesMax`, a limited number of frames and blocks (zstdLimits), and a frame buffer no larger than its blocks
 * can fill. Checksums are verified if present.
 */

import { type ZstdFrame, zstdFrames } from './frames.ts';
import { undoFrame } from './library.ts';
import { zstdLimits } from './zstd-limits.ts';

export interface ZstdOutput {
  readonly body: Buffer;
  /** Something is missing: the input is damaged, was cut, or has more output than requested. */
  readonly truncated: boolean;
}

/** Null: there is no output, or the stream exceeds a bound. Call after `loadZstd`. */
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

/** All of the output or nothing. `damaged`: also cut input, and streams that exceed a bound. Call after `loadZstd`. */
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
 * Returns the beginning of a frame that is cut, damaged, or larger than the room. It tries the number of blocks that
 * should fill the room, then fewer or more, a few times.
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
