/**
 * snappy, with the package of that name. Two forms are read: a single block, as librdkafka and we write it, and the
 * blocks with lengths that Java's producers write (snappy-java's SnappyOutputStream: a header of 16 bytes, then for
 * each block its length, 32 bits big-endian, and the block).
 *
 * A block states its decompressed length at its start (snappy's format description, "Preamble"); the decoder enforces
 * it.
 */
import { type BatchCodec, TooMuchInside } from './batch-codec.ts';
import { nativePackage } from './native-package.ts';

const snappy = nativePackage<typeof import('snappy')>('snappy', 'snappy');

/** Else the package gives memory that is fetched from the system each time, which costs several times the work. */
const copyOutputData = true;

export const snappyCodec: BatchCodec = {
  compress: (bytes) => snappy().compressSync(bytes, { copyOutputData }),
  decompress(bytes, bytesMax) {
    const blocks = blocksOf(bytes);
    let left = bytesMax;
    for (const block of blocks) if ((left -= bytesIn(block)) < 0) throw new TooMuchInside(bytesMax);
    const undone = blocks.map((block) => snappy().uncompressSync(block, { asBuffer: true, copyOutputData }) as Buffer);
    return undone.length === 1 ? (undone[0] as Buffer) : Buffer.concat(undone);
  },
};

const javaMagic = Buffer.from('\x82SNAPPY\0', 'latin1');
const javaHeaderBytes = 16;

function blocksOf(bytes: Buffer): Buffer[] {
  // No block alone begins so: what follows its length would copy from before its start.
  if (!bytes.subarray(0, javaMagic.length).equals(javaMagic)) return [bytes];
  const blocks: Buffer[] = [];
  for (let at = javaHeaderBytes; at < bytes.length; ) {
    const start = at + 4;
    at = start + bytes.readUInt32BE(at);
    if (at > bytes.length) throw new RangeError('it ends inside a block');
    blocks.push(bytes.subarray(start, at));
  }
  return blocks;
}

/** A number of 32 bits, seven a byte, the lowest first. */
function bytesIn(block: Buffer): number {
  let bytes = 0;
  for (let i = 0; i < 5; i++) {
    const byte = block.readUInt8(i);
    bytes += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return bytes;
  }
  throw new Error('its uncompressed length is not a valid number');
}
