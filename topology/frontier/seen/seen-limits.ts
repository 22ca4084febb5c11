/** Defaults of the seen test (topology/frontier/seen). */
export const seenLimits = {
  /** Of one partition: 5 M URLs in memory, then 2 bytes for each. What a process may use is divided by the partitions. */
  memoryBytes: 256 * 1024 * 1024,
  /** A cache beyond this no longer fits the processor's own. */
  cacheBytesMax: 8 * 1024 * 1024,
  /** For Bloom filters only: ten million URLs, and one page in a hundred missed once so many are known. */
  bloomUrls: 10_000_000,
  bloomErrors: 0.01,
} as const;
