/** Codecs of record batches, by the names of Kafka's `compression.type`. A name's place is its number in a batch. */
export const compressionNames = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type CompressionName = (typeof compressionNames)[number];

/** Costs a client about what the checksum of the bytes saved would, and leaves a fifth of them (`npm run bench -- topology`). */
export const compressionDefault: CompressionName = 'snappy';
