/** Bounds of the archive. */
export const archiveLimits = {
  /** A WARC file is closed at this length: what the WARC guidelines recommend, and one upload. */
  fileBytes: 1 << 30,
  /** Bytes of a response's body in its message: the topic takes messages of 8 MB, and no body kept is longer. */
  bodyBytesMax: 2 * 1024 * 1024,
  /** Bytes of one record of a WARC file that is read back: far above the bodies kept here, below what fits in memory. */
  recordBytesMax: 256 * 1024 * 1024,
  /** Waits before uploads are tried again; after the last one, the file stays where it is until the next start. */
  uploadRetriesMs: [1_000, 5_000, 30_000],
} as const;
