/** Codecs of record batches, by the names of Kafka's `compression.type`. A name's place is its number in a batch. */
export const compressionNames = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type CompressionName = (typeof compressionNames)[number];

/** No compression, as with Kafka's own producers: any client can read it. */
export const compressionDefault: CompressionName = 'none';
