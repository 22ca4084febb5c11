/** Bounds of an archive that is served here. */
export const replayLimits = {
  /** Bytes of a page or style sheet, decoded: it is in memory while its links are rewritten. The rest is left out. */
  rewrittenBytesMax: 16 * 1024 * 1024,
  /** Bytes of a record's head, and of the HTTP head in it: more than the crawler and browsers take. */
  headBytesMax: 288 * 1024,
  /** Bytes of a line of an index: a URL may be long, and so may what other tools add. */
  lineBytesMax: 1024 * 1024,
  /** Bytes of an index that are read at once: a search ends in a piece this long. */
  pieceBytes: 16 * 1024,
  /** Bytes of a WARC file without an index: it is read once, and its index is kept in memory. */
  unindexedBytesMax: 256 * 1024 * 1024,
  /** Most decompressed bytes of a record of such a file. */
  unpackedBytesMax: 512 * 1024 * 1024,
  /** Longest chain of revisits that is followed. */
  revisitsMax: 3,
  /** Rows of a list on one page. */
  rowsMax: 200,
  /** URLs that are looked at for one page of a list. */
  searchedMax: 20_000,
  /** Bytes of a page that are searched for its title, packed and unpacked: long styles may precede it. */
  titleBytes: 64 * 1024,
  /** Time after which a list reads no more titles, ms, and records that it reads at once. */
  titlesMs: 1_000,
  titlesAtOnce: 8,
  /** Titles in memory: those of 25 lists, at most 10 MB. */
  titlesKept: 5_000,
  /** Levels of nested pages (`srcdoc`) with rewritten links. */
  nestedMax: 2,
} as const;
