/**
 * gzip and zstd, by Node's zlib. It has zstd from 22.15 on: before, zstd is read by its library in WebAssembly, and
 * can't be written. Both check the output against its checksum.
 */
import * as zlib from 'node:zlib';
import { CrawlstreamError } from '../../../../../topology/errors.ts';
import { decodeWholeZstd } from '../../../zstd/decode.ts';
import { zstdFrames } from '../../../zstd/frames.ts';
import { loadZstd } from '../../../zstd/library.ts';
import { kafkaLimits } from '../kafka-limits.ts';
import { type BatchCodec, TooMuchInside } from './batch-codec.ts';

/** Typed by hand, since @types/node 20 has no zstd. */
const { zstdCompressSync, zstdDecompressSync } = zlib as {
  readonly zstdCompressSync?: (bytes: Buffer, options: { params: Record<number, number> }) => Buffer;
  readonly zstdDecompressSync?: typeof zlib.gunzipSync;
};

/** ZSTD_c_compressionLevel: of our records, level 1 leaves no more than the usual 3, in four fifths of the time. */
const zstdOptions = { params: { 100: 1 } };

export const gzipCodec: BatchCodec = {
  compress: (bytes) => zlib.gzipSync(bytes, { level: zlib.constants.Z_BEST_SPEED }),
  decompress: (bytes, bytesMax) => bounded(zlib.gunzipSync, bytes, bytesMax),
};

export const zstdCodec: BatchCodec = {
  compress(bytes) {
    if (zstdCompressSync) return zstdCompressSync(bytes, zstdOptions);
    const message = `compression by zstd needs Node 22.15 or later, and this is ${process.versions.node}: choose another`;
    throw new CrawlstreamError('UNSUPPORTED', message);
  },
  decompress(bytes, bytesMax) {
    const windowBytesMax = kafkaLimits.zstdWindowBytesMax;
    if (zstdDecompressSync) {
      // For a cut frame, Node returns partial output without an error.
      const found = zstdFrames(bytes, windowBytesMax);
      if (found === null || found.isCut) throw new Error('it is not a zstd frame, or it is cut short');
      return bounded(zstdDecompressSync, bytes, bytesMax);
    }
    const undone = decodeWholeZstd(bytes, bytesMax, windowBytesMax);
    if (undone === 'tooMuch') throw new TooMuchInside(bytesMax);
    if (undone === 'damaged') throw new Error('it is not a zstd frame, or it is cut short or damaged');
    return undone;
  },
};

/** Must be awaited before batches are read. */
export const loadCodecs = (): Promise<void> => (zstdDecompressSync ? Promise.resolve() : loadZstd());

function bounded(undo: typeof zlib.gunzipSync, bytes: Buffer, bytesMax: number): Buffer {
  try {
    return undo(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? new TooMuchInside(bytesMax) : error;
  }
}
