/** Bounds of writing to files. */
export const diskLimits = {
  /** Writes in a row that take no byte: a file system that is busy takes one within a second, others never do. */
  emptyWritesMax: 100,
  /** Wait before a write that took no byte is tried again, ms. */
  emptyWriteMs: 10,
  /** Symbolic links followed from a name to its file: as many as Linux follows. */
  linksMax: 40,
  /** Pending rows of a named file before its writer has to wait: one write of a block of them. */
  namedFileBufferBytes: 256 * 1024,
  /** Folders that a process notes as durable: those beyond are synced once more. */
  durableFoldersMax: 10_000,
  /** Interval at which a process marks its folders for temporary files as in use, ms. */
  scratchSignMs: 60_000,
  /** A folder for temporary files without a mark for this long is removed: its process was killed. ms */
  scratchSilentMs: 24 * 3_600_000,
} as const;
