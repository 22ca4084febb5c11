/** Bounds on what is unpacked of an office file or book. */
export const officeLimits = {
  /** Unpacked bytes of a file: a bomb of 10 MB unpacks to 10 GB, a long book to 10 MB of text. */
  officeBytesMax: 64 * 1024 * 1024,
  /** Parts of a file that are read: books have hundreds. */
  officePartsMax: 10_000,
} as const;
