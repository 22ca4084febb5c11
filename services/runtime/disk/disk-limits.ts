/** Bounds of writing to files. */
export const diskLimits = {
  /** Writes in a row that take no byte: a file system that is busy takes one within a second, others never do. */
  emptyWritesMax: 100,
  /** Wait before a write that took no byte is tried again, ms. */
  emptyWriteMs: 10,
} as const;
