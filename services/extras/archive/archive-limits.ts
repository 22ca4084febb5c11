/** Bounds of the archive. */
export const archiveLimits = {
  /** A WARC file is closed at this length: what the WARC guidelines recommend, and one upload. */
  fileBytes: 1 << 30,
  /** Bytes of one record of a WARC file that is read back: above the longest body kept here, below what fits in a buffer. */
  recordBytesMax: 1025 * 1024 * 1024,
  /** Bytes of a record that is compressed at once, in under a millisecond; longer ones do not hold up the rest of the process. */
  zippedHereBytesMax: 64 * 1024,
  /** Bytes of a record that are read where an index points to it: for a page's title, charset and language. */
  indexedBytesMax: 4 * 1024 * 1024,
  /** Payloads held for revisits of them, where files are read back. */
  payloadsBytesMax: 256 * 1024 * 1024,
  /** Waits before uploads are tried again; after the last one, the file stays where it is until the next start. */
  uploadRetriesMs: [1_000, 5_000, 30_000],
} as const;
