/** Bounds of the link graph. */
export const graphLimits = {
  /** Pages written at once: some 10 kB of rows. */
  batchRecords: 256,
} as const;
