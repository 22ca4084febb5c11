/** Memory bounds for the clients of a gRPC server (services/runtime/grpc). */
export const grpcLimits = {
  /** Bytes of all current calls, messages and answers. Beyond it, each stream of puts keeps only its first few. */
  bytesOfAll: 32 * 1024 * 1024,
  /** Beyond it, calls are ended, those with the oldest unread answers first. */
  bytesOfAllHard: 64 * 1024 * 1024,
  /** Bytes of partly received messages, over all calls: a few of the largest. */
  partBytesOfAll: 64 * 1024 * 1024,
  /** Bytes of unread answers of one stream. */
  answerBytesAhead: 256 * 1024,
  /** Calls of one connection at once: each may hold a partly received message. */
  streamsPerConnection: 128,
  /** Largest message: a batch of some thousand URLs; gRPC's default. */
  messageBytesMax: 4 * 1024 * 1024,
  /** Bytes that a client may send ahead: those of one commit. */
  streamWindowBytes: 1024 * 1024,
  /** Time for calls to end when the server stops, ms. */
  closeMs: 2_000,
} as const;
