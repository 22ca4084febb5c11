/**
 * zstd (RFC 8878), which the zlib of Node 20 lacks, by the fzstd package behind this one file.
 *
 * Invariants: at most `bytesMax` bytes come out, and no frame asks for a window beyond `windowBytesMax`: frames are walked
 * block by block before any is undone, for the decoder would allocate whatever a header says. Checksums are not looked at.
 */
import { Decompress } from 'fzstd';

export interface ZstdOutput {
  readonly body: Buffer;
  readonly truncated: boolean;
}

/** Null: nothing came out, the stream is damaged or asks for too much. */
export function decodeZstd(body: Buffer, bytesMax: number, windowBytesMax: number): ZstdOutput | null {
  const framing = zstdFraming(body, windowBytesMax);
  if (framing === 'refused') return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const decoder = new Decompress((chunk) => {
    const room = bytesMax - bytes;
    // The decoder uses its buffer again.
    if (room > 0) chunks.push(chunk.slice(0, room));
    bytes += Math.min(chunk.length, room);
    if (chunk.length > room) throw new Full();
  });
  try {
    decoder.push(body, true);
  } catch {
    return bytes === 0 ? null : { body: Buffer.concat(chunks), truncated: true };
  }
  return { body: Buffer.concat(chunks), truncated: framing === 'cut' };
}

class Full extends Error {}

const frameMagic = 0xfd2fb528;
/** 0x184D2A50 to 0x184D2A5F: skippable, their length follows. */
const skippableMagic = 0x184d2a5;

/** `cut`: the input ends inside a frame. `refused`: it is no zstd, or asks for a larger window. */
export function zstdFraming(body: Buffer, windowBytesMax: number): 'whole' | 'cut' | 'refused' {
  let at = 0;
  while (at < body.length) {
    if (at + 8 > body.length) return at === 0 ? 'refused' : 'cut';
    const magic = body.readUInt32LE(at);
    if (magic >>> 4 === skippableMagic) {
      at += 8 + body.readUInt32LE(at + 4);
      continue;
    }
    if (magic !== frameMagic) return 'refused';
    const header = frameHeader(body, at + 4);
    if (header.windowBytes > windowBytesMax) return 'refused';
    at = endOfBlocks(body, header.end);
    if (at < 0) return 'cut';
    if (header.checksum) at += 4;
  }
  return at > body.length ? 'cut' : 'whole';
}

/** RFC 8878 §3.1.1.1. Beyond the input, bytes read as 0. */
function frameHeader(body: Buffer, start: number) {
  const descriptor = body[start] ?? 0;
  const single = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3]!;
  const sizeBytes = [single ? 1 : 0, 2, 4, 8][descriptor >>> 6]!;
  let at = start + 1;
  let windowBytes = 0;
  if (!single) {
    const window = body[at++] ?? 0;
    const base = 2 ** (10 + (window >>> 3));
    windowBytes = base + (base / 8) * (window & 7);
  }
  at += dictionaryBytes;
  if (single) {
    for (let i = sizeBytes - 1; i >= 0; i--) windowBytes = windowBytes * 256 + (body[at + i] ?? 0);
  }
  return { windowBytes, checksum: (descriptor & 4) !== 0, end: at + sizeBytes };
}

/** Behind the last block of a frame (RFC 8878 §3.1.1.2); -1: it is not there. */
function endOfBlocks(body: Buffer, start: number): number {
  let at = start;
  while (at + 3 <= body.length) {
    const header = body.readUIntLE(at, 3);
    const isRun = ((header >>> 1) & 3) === 1;
    at += 3 + (isRun ? 1 : header >>> 3);
    if ((header & 1) === 1) return at;
  }
  return -1;
}
