/** Bounds of the lenient reader of HTTP/1.1 (lenient-response.ts). Its heads and trailers are bounded by `headerBytesMax` (request-limits.ts). */
export const lenientLimits = {
  /** Origins with answers for the lenient reader, about 100 B each; one that is forgotten costs a request. */
  originsMax: 10_000,
  /** Bytes of a chunk's size line that count for nothing: 16 digits and the line end. What goes beyond counts as bytes of the head. */
  chunkLineFreeBytes: 18,
} as const;
