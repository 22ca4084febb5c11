/**
 * The frames and blocks of a zstd stream (RFC 8878), found without decompressing any. So their requirements are known
 * before a byte is allocated, and their number is bounded, because each costs work whatever its size.
 */
import { zstdLimits } from './zstd-limits.ts';

export interface ZstdFrame {
  /** Stream of the frame. */
  readonly body: Buffer;
  readonly windowByte: number;
  /** The output size in the header; undefined: not given. */
  readonly contentBytes: number | undefined;
  /** Offset of the first block. */
  readonly blocksStart: number;
  /** Offset of the header of each complete block. */
  readonly blocks: readonly number[];
  /** Offset after the last complete block. */
  readonly blocksEnd: number;
  /** Most output of the blocks up to each one, bytes. */
  readonly outputMax: readonly number[];
  /** Checksum at its end; undefined: none, or the frame was cut. */
  readonly checksum: Buffer | undefined;
  /** The frame has its last block, and its checksum. */
  readonly isWhole: boolean;
}

export interface ZstdFrames {
  readonly frames: readonly ZstdFrame[];
  /** The input ends inside a frame, or has more frames or blocks than allowed. */
  readonly isCut: boolean;
}

const frameMagic = 0xfd2fb528;
/** 0x184D2A50 to 0x184D2A5F: skippable, their length follows. */
const skippableMagic = 0x184d2a5;

/** Null: the body is not zstd, needs a larger window, or needs a dictionary. */
export function zstdFrames(body: Buffer, windowBytesMax: number): ZstdFrames | null {
  const frames: ZstdFrame[] = [];
  let blocks = 0;
  let at = 0;
  for (let count = 0; at < body.length; count++) {
    if (at + 8 > body.length) return at === 0 ? null : { frames, isCut: true };
    if (count === zstdLimits.framesMax) return { frames, isCut: true };
    const magic = body.readUInt32LE(at);
    if (magic >>> 4 === skippableMagic) {
      at += 8 + body.readUInt32LE(at + 4);
      continue;
    }
    if (magic !== frameMagic) return null;
    const header = frameHeader(body, at + 4);
    if (header.windowBytes > windowBytesMax || header.hasDictionary) return null;
    const frame = readBlocks(body, header, zstdLimits.blocksMax - blocks);
    frames.push(frame);
    if (!frame.isWhole) return { frames, isCut: true };
    blocks += frame.blocks.length;
    at = frame.blocksEnd + (frame.checksum?.length ?? 0);
  }
  return { frames, isCut: at > body.length };
}

interface FrameHeader {
  readonly windowBytes: number;
  readonly windowByte: number;
  readonly contentBytes: number | undefined;
  readonly hasDictionary: boolean;
  readonly hasChecksum: boolean;
  readonly end: number;
}

/** RFC 8878 §3.1.1.1. Beyond the input, bytes read as 0. */
function frameHeader(body: Buffer, start: number): FrameHeader {
  const descriptor = body[start] ?? 0;
  const single = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const sizeBytes = [single ? 1 : 0, 2, 4, 8][descriptor >>> 6]!;
  let at = start + 1;
  let windowByte = single ? 0 : (body[at++] ?? 0);
  const hasDictionary = body.subarray(at, at + dictionaryBytes).some((byte) => byte !== 0);
  at += dictionaryBytes;
  let contentBytes = sizeBytes === 2 ? 256 : 0;
  for (let i = 0; i < sizeBytes; i++) contentBytes += (body[at + i] ?? 0) * 256 ** i;
  // A single segment has no window except its content: the smallest window that contains it.
  if (single) while (windowOf(windowByte) < contentBytes && windowByte < 0xf8) windowByte += 8;
  return {
    windowBytes: single ? contentBytes : windowOf(windowByte),
    windowByte,
    contentBytes: sizeBytes === 0 ? undefined : contentBytes,
    hasDictionary,
    hasChecksum: (descriptor & 4) !== 0,
    end: at + sizeBytes,
  };
}

function windowOf(byte: number): number {
  const base = 2 ** (10 + (byte >>> 3));
  return base + (base / 8) * (byte & 7);
}

/** RFC 8878 §3.1.1.2. */
function readBlocks(body: Buffer, header: FrameHeader, blocksMax: number): ZstdFrame {
  const { windowBytes, windowByte, contentBytes, hasChecksum, end: blocksStart } = header;
  const { blockBytesMax } = zstdLimits;
  const blocks: number[] = [];
  const outputMax: number[] = [];
  let [at, output, isLast] = [blocksStart, 0, false];
  while (!isLast && at + 3 <= body.length && blocks.length < blocksMax) {
    const block = body.readUIntLE(at, 3);
    const [kind, size] = [(block >>> 1) & 3, block >>> 3];
    const end = at + 3 + (kind === 1 ? 1 : size);
    if (end > body.length) break;
    output += Math.min(windowBytes, blockBytesMax, kind === 2 ? blockBytesMax : size);
    blocks.push(at);
    outputMax.push(output);
    isLast = (block & 1) === 1;
    at = end;
  }
  const isWhole = isLast && (!hasChecksum || at + 4 <= body.length);
  const checksum = isWhole && hasChecksum ? body.subarray(at, at + 4) : undefined;
  return { body, windowByte, contentBytes, blocksStart, blocks, blocksEnd: at, outputMax, checksum, isWhole };
}
