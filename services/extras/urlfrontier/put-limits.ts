/** Memory bounds for clients of the pull API (services/extras/urlfrontier). */
export const putLimits = {
  /** Bytes of one item of PutURLs: three times the longest URL, key and metadata. */
  itemBytesMax: 256 * 1024,
  /** Fields of one message: each is an object of some 200 bytes before any check. */
  messageFieldsMax: 64 * 1024,
  /** Unacked bytes of one stream: those of two commits. */
  bytesUnderWay: 2 * 1024 * 1024,
  /** Unacked bytes that a stream may always have, whatever the others use. */
  bytesFree: 64 * 1024,
  /** Memory of an item in addition to its bytes. */
  itemOverheadBytes: 256,
  /**
   * For each partition of a crawl id beyond the first: open table files (LevelDB's minimum), other open files of a
   * store, and its memory in bytes. They are small, because naming an id costs a stranger nothing.
   */
  idOpenFiles: 64,
  idOtherFiles: 16,
  idBufferBytes: 4 * 1024 * 1024,
  idCacheBytes: 1024 * 1024,
  /**
   * Share of its descriptors up to which a process creates crawls for ids: connections and the first crawl need some.
   */
  descriptorShareMax: 0.75,
} as const;
