/** The codecs of record batches, by name and by number (Kafka's protocol guide, "Record Batch": bits 0 to 2). */
import { CrawlstreamError } from '../../../../../topology/errors.ts';
import type { BatchCodec } from './batch-codec.ts';
import { lz4Codec } from './lz4-frames.ts';
import { type CompressionName, compressionNames } from './names.ts';
import { snappyCodec } from './snappy-blocks.ts';
import { gzipCodec, zstdCodec } from './zlib-codecs.ts';

export { loadCodecs } from './zlib-codecs.ts';

const codecs: Readonly<Record<Exclude<CompressionName, 'none'>, BatchCodec>> = {
  gzip: gzipCodec,
  snappy: snappyCodec,
  lz4: lz4Codec,
  zstd: zstdCodec,
};

/** Compresses batches, and marks them with its number. */
export interface Compressor {
  readonly number: number;
  compress(bytes: Buffer): Uint8Array;
}

/** Undefined for `none`. Throws UNSUPPORTED if this machine cannot compress with this codec. */
export function compressorOf(name: CompressionName): Compressor | undefined {
  if (name === 'none') return undefined;
  const { compress } = codecs[name];
  compress(Buffer.alloc(1));
  return { number: compressionNames.indexOf(name), compress };
}

/** Throws UNSUPPORTED for an unknown codec number. */
export function decompressorOf(number: number, topic: string): BatchCodec['decompress'] {
  const name = compressionNames[number];
  if (name !== undefined && name !== 'none') return codecs[name].decompress;
  throw new CrawlstreamError(
    'UNSUPPORTED',
    `topic ${topic} holds records compressed with codec ${number}, which this release does not know: run a newer crawlstream`,
  );
}
