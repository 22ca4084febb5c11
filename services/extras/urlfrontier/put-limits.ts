/** Bounds of what a client of the pull API may make the server hold (services/extras/urlfrontier). */
export const putLimits = {
  /** One item of PutURLs: the longest URL, key and metadata, thrice. */
  itemBytesMax: 256 * 1024,
  /** Fields of one message: each is an object of some 200 bytes before anything looks at it. */
  messageFieldsMax: 64 * 1024,
  /** Bytes of one stream that are not acked yet: two commits' worth. */
  bytesUnderWay: 2 * 1024 * 1024,
  /** The part of it that a stream has whatever the others take. */
  bytesFree: 64 * 1024,
  /** What an item under way takes in memory beside its bytes. */
  itemOverheadBytes: 256,
  /**
   * Of each partition of a crawl id beyond the first: table files held open (LevelDB takes no fewer), what a store
   * holds open beside them, and its memory. They are small, since naming an id costs a stranger nothing.
   */
  idOpenFiles: 64,
  idOtherFiles: 16,
  idBufferBytes: 4 * 1024 * 1024,
  idCacheBytes: 1024 * 1024,
  /**
   * The share of its descriptors up to which a process makes crawls for ids: connections and the first crawl need some.
   */
  descriptorShareMax: 0.75,
} as const;
