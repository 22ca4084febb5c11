/** Bounds of what a client of the pull API may make the server hold (services/urlfrontier). */
export const putLimits = {
  /** One item of PutURLs: the longest URL, key and metadata, thrice. */
  itemBytesMax: 256 * 1024,
  /** Fields of one message: each is an object of some 200 bytes before anything looks at it. */
  messageFieldsMax: 64 * 1024,
  /** Bytes of one stream that are not acked yet: two commits' worth. */
  bytesUnderWay: 2 * 1024 * 1024,
  /** Of these, what a stream has whatever the others take. */
  bytesFree: 64 * 1024,
  /** Bytes of all streams that are not acked yet; beyond it each has only its first few. */
  bytesOfAll: 32 * 1024 * 1024,
  /** Answers of one stream that its client has not taken. */
  answerBytesAhead: 256 * 1024,
  /** Calls of one connection at once: each may hold a message that has come in part. */
  streamsPerConnection: 128,
} as const;
