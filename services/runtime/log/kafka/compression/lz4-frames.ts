/**
 * lz4: frames (LZ4 Frame Format 1.6.1) of blocks by the lz4-napi package.
 *
 * The package also has frames, but this file decodes block by block, for two reasons. For a whole batch, the
 * package's result is in memory newly allocated from the system, which costs several times the decoding; and it has
 * no bound on the content of a frame. Blocks are independent, as brokers require. Checksums are ignored, because a
 * batch has its own, over all of its bytes.
 */
import { type BatchCodec, TooMuchInside } from './batch-codec.ts';
import { nativePackage } from './native-package.ts';

const lz4 = nativePackage<typeof import('lz4-napi')>('lz4-napi', 'lz4');

/**
 * Version 1, independent blocks, no checksums; blocks of 64 KiB; the header's own checksum. Java's producers write
 * the same.
 */
const header = Buffer.from('04224d18604082', 'hex');
const endMark = Buffer.alloc(4);
const blockBytes = 64 * 1024;
const isPlain = 0x80000000;
/** The package's blocks are preceded by their decompressed length, 32 bits little-endian. */
const lengthBytes = 4;
/** No block expands by more than this factor. */
const expansionMax = 255;

export const lz4Codec: BatchCodec = {
  compress(bytes) {
    const parts: Uint8Array[] = [header];
    for (let at = 0; at < bytes.length; at += blockBytes) {
      const block = bytes.subarray(at, at + blockBytes);
      const small = lz4().compressSync(block).subarray(lengthBytes);
      if (small.length < block.length) parts.push(head(small.length), small);
      else parts.push(head(block.length + isPlain), block);
    }
    parts.push(endMark);
    return Buffer.concat(parts);
  },
  decompress(bytes, bytesMax) {
    const blocks: Buffer[] = [];
    let left = bytesMax;
    for (const { block, plain, blockBytesMax } of blocksOf(bytes)) {
      const undone = plain ? block : undo(block, Math.min(blockBytesMax, expansionMax * block.length));
      left -= undone.length;
      if (left < 0) throw new TooMuchInside(bytesMax);
      blocks.push(undone);
    }
    return blocks.length === 1 ? (blocks[0] as Buffer) : Buffer.concat(blocks);
  },
};

function head(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function undo(block: Buffer, bytesMax: number): Buffer {
  const given = Buffer.allocUnsafe(lengthBytes + block.length);
  given.writeUInt32LE(bytesMax);
  block.copy(given, lengthBytes);
  return lz4().uncompressSync(given);
}

/** Reading past the end throws RangeError. */
function* blocksOf(bytes: Buffer) {
  if (bytes.readUInt32LE() !== header.readUInt32LE()) throw new Error('it is not an lz4 frame');
  const flags = bytes.readUInt8(4);
  const [standAlone, blockSums, contentSize, contentSum, dictionary] = [32, 16, 8, 4, 1].map((bit) => flags & bit);
  if (!standAlone || dictionary) throw new Error('its blocks depend on a dictionary or on each other');
  // 4: 64 KiB, and four times as much with each step to 7: 4 MiB.
  const blockBytesMax = 2 ** (8 + 2 * ((bytes.readUInt8(5) >>> 4) & 7));
  let at = header.length + (contentSize ? 8 : 0);
  for (;;) {
    const size = bytes.readUInt32LE(at);
    const start = at + 4;
    if (size === 0) {
      if (contentSum && start + 4 > bytes.length) throw new RangeError('it ends before its checksum');
      return;
    }
    at = start + (size % isPlain);
    if (at > bytes.length) throw new RangeError('it ends inside a block');
    yield { block: bytes.subarray(start, at), plain: size >= isPlain, blockBytesMax };
    if (blockSums) at += 4;
  }
}
