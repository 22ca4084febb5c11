/** Bounds of the log on Kafka, each with its reason. Units are in the names. */
export const kafkaLimits = {
  /** Opening a socket: on any network where a crawl makes sense, a broker answers sooner or not at all. */
  connectTimeoutMs: 4_000,
  /** Socket, versions and login together. */
  loginTimeoutMs: 8_000,
  /** A start against brokers that can't be reached gives up after this: long enough for one that is just starting. */
  openTimeoutMs: 6_000,
  /** Time after which a request without an answer counts as lost; a commit to all replicas takes far less. */
  requestTimeoutMs: 10_000,
  /** Appends, and membership of a group, survive a broker's absence of this length, as in Kafka's own clients. */
  deliveryTimeoutMs: 120_000,
  /** Time for the acks of running appends when the log closes. */
  closeTimeoutMs: 10_000,
  /** Wait of a leaving member for its coordinator; the others continue without it soon after. */
  leaveTimeoutMs: 5_000,
  /** Queries and settings wait this long for a leader or a coordinator. */
  operationTimeoutMs: 30_000,
  /** A look at a group's members waits this long for a rebalance to end: most take less than a heartbeat. */
  describeTimeoutMs: 2_000,
  /** Pause before a second try, doubled up to the second figure: a leader election takes 50 ms to seconds. */
  retryMs: 50,
  retryMsMax: 1_000,
  /**
   * The cluster's topics and brokers are looked at again after this, each time by another broker: a reader of a broker that was
   * cut off from the others has no other sign of it. Sooner while a broker is away.
   */
  metadataMs: 30_000,
  /** Time for which a replica in the reader's rack is used before the leader is asked again, as in Kafka's clients. */
  replicaMs: 300_000,
  /** Wait before a request that any broker can answer goes to another one: an answer takes milliseconds. */
  askNextMs: 1_000,
  /** Wait for an append's answer before another broker is asked for leaders: an ack takes far less. */
  slowAppendMs: 2_000,
  /** A partition without an acknowledged append for this long is reported: elections and restarts of brokers take less. */
  blockedAppendMs: 10_000,
  /**
   * A majority of brokers is believed that a leader epoch is older than a known one only this long after that one was learnt:
   * a broker hears of a new leader within its session (9 s by default).
   */
  olderEpochMs: 10_000,
  /** Time for which a broker that failed to answer is asked last: a restart of a broker takes less. */
  failedBrokerMs: 30_000,
  metadataMsAway: 10_000,
  /** Number of requests for a topic that seems not to exist. */
  unknownTopicTries: 4,
  /** Bytes of records of one partition in one batch: a topic with Kafka's default settings takes up to 1 MiB. */
  batchBytesMax: 900_000,
  /** Bytes of batches sent to one broker at once. */
  produceBytesMax: 8 * 1024 * 1024,
  /** Largest message of topics created here, bytes, so that a raw response (5 MiB of body) fits into one record. */
  messageBytesMax: 8 * 1024 * 1024,
  /**
   * Segment size of trimmed topics, bytes, as Kafka Streams sets it for topics that it purges: with Kafka's default
   * of a gigabyte, a trim would free nothing for weeks.
   */
  trimmedSegmentBytes: 50 * 1024 * 1024,
  /**
   * Longest time of a segment of a trimmed topic, ms: a partition with few records frees its disk after a day. Hourly
   * segments would be too many files.
   */
  trimmedSegmentMs: 86_400_000,
  /** Settings of a running crawl's topics are looked at again after this: two requests, and a colleague's mistake is soon seen. */
  risksEveryMs: 60_000,
  /**
   * Compressed batches of one partition in one answer, undone: eight times the largest batch that our topics take. A
   * batch that shrinks to a thousandth is meant to fill memories.
   */
  inflatedBytesMax: 64 * 1024 * 1024,
  /**
   * Records of one answer that are read at once: a batch of empty ones shrinks to a ten-thousandth, and each takes 160 bytes of
   * memory. The rest is read by the next poll.
   */
  recordsAtOnceMax: 250_000,
  /** A zstd batch's window: the default of zstd's decoders, and the need of its highest level. */
  zstdWindowBytesMax: 128 * 1024 * 1024,
  /** Bytes kept of a damaged batch for its dead letter, which must fit into a record. */
  damagedBytesKept: 4 * 1024 * 1024,
  /**
   * Bytes of one fetch, for all partitions of a reader on a broker, unless `poll` asks for less. At least one batch:
   * brokers send a larger batch only for the first partition, and waste reads on the others.
   */
  fetchBytes: 1024 * 1024,
  /** Wait of a fetch at the broker, ms: an idle reader costs four small requests a second. */
  fetchWaitMs: 250,
  /**
   * Fetches of one reader to one broker at once: the second requests partitions that the first, still waiting, does
   * not have.
   */
  fetchesMax: 2,
  /** A group member without a heartbeat for this long is replaced, ms. */
  sessionTimeoutMs: 10_000,
  /**
   * Longest warm-up of a copy before the member gets the partition without a complete copy, ms: 100 M URLs restore in
   * minutes.
   */
  warmUpMsMax: 600_000,
  /** Wait of a member for its other copies when one has caught up, ms, because each rebalance pauses all members. */
  warmUpsTogetherMs: 5_000,
  /** Interval of heartbeats, ms: also how soon a member learns of a rebalance. */
  heartbeatMs: 500,
  /** Time for new topics to have leaders everywhere, ms. */
  createTimeoutMs: 20_000,
} as const;
