/** Bounds of the archive. */
export const archiveLimits = {
  /** A WARC file is closed at this size, bytes: the WARC guidelines recommend it, and it suits one upload. */
  fileBytes: 1 << 30,
  /**
   * Largest record read back from a WARC file, bytes: more than the longest body kept here, and less than the largest
   * buffer.
   */
  recordBytesMax: 1025 * 1024 * 1024,
  /**
   * Records up to this size are compressed synchronously, bytes: under a millisecond. Longer ones are compressed
   * without blocking the process.
   */
  zippedHereBytesMax: 64 * 1024,
  /** Bytes read of a body that is a file, to see whether it is compressed: more than the longest signature. */
  signatureBytes: 32,
  /** Bytes read of a record that an index points to: enough for a page's title, charset and language. */
  indexedBytesMax: 4 * 1024 * 1024,
  /** Bytes of payloads held in memory for later revisits, when files are read back. */
  payloadsBytesMax: 256 * 1024 * 1024,
  /** Waits before further tries of an upload, ms; after the last one, the file stays in place until the next start. */
  uploadRetriesMs: [1_000, 5_000, 30_000],
} as const;
