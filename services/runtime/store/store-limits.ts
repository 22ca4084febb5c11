/** Bounds of the state stores on disk. */
export const storeLimits = {
  /** Open table files: each has its index and filter in memory, about 1 MB per 64 MB file. */
  openFilesMax: 500,
  /** Bytes of rows one native call of a scan brings over: amortises the call, and little is wasted when a scan stops early. */
  scanChunkBytes: 256 * 1024,
  /** Larger batches go the way that frees its native memory at once; the other way waits for the garbage collector. */
  chainedBatchBytesMax: 256 * 1024,
  /** Opens beside a busy writer: one in ten coincides with the writer's flush, so twenty in a row don't happen. */
  readOnlyOpenAttemptsMax: 20,
  /** A copy that a reader of a LevelDB folder left behind is removed after this; making one takes well under a second. */
  readerCopyStaleMs: 60_000,
  /** LevelDB folder that a reader copies into memory if no disk has room: most machines have this much free. */
  readerMemoryBytesMax: 512 << 20,
} as const;
