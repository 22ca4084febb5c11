/** Bounds of what the clients of a gRPC server may make it hold (services/runtime/grpc). */
export const grpcLimits = {
  /** Bytes of all calls under way, messages and answers; beyond it each stream of puts has only its first few. */
  bytesOfAll: 32 * 1024 * 1024,
  /** Beyond it calls are ended: first those with the oldest unread answers. */
  bytesOfAllHard: 64 * 1024 * 1024,
  /** Bytes of messages that have come in part, over all calls: a few of the largest, in pieces as they come. */
  partBytesOfAll: 64 * 1024 * 1024,
  /** Bytes of answers of one stream that its client has not taken. */
  answerBytesAhead: 256 * 1024,
  /** Calls of one connection at once: each may hold a message that has come in part. */
  streamsPerConnection: 128,
  /** One message: a batch of some thousand URLs; what gRPC's own servers take. */
  messageBytesMax: 4 * 1024 * 1024,
  /** A client may send so much ahead: a commit's worth. */
  streamWindowBytes: 1024 * 1024,
  /** How long a call may take to end when the server stops. */
  closeMs: 2_000,
} as const;
