/** Defaults of the seen test (topology/frontier/seen). */
export const seenLimits = {
  /**
   * Memory of one partition: 5 M URLs in memory, then 2 bytes for each. The memory of a process is divided among its
   * partitions.
   */
  memoryBytes: 256 * 1024 * 1024,
  /** A cache beyond this no longer fits the processor's own. */
  cacheBytesMax: 8 * 1024 * 1024,
  /** For Bloom filters only: ten million URLs, with one page in a hundred missed once that many are known. */
  bloomUrls: 10_000_000,
  bloomErrors: 0.01,
} as const;
