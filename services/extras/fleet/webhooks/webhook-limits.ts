/** Bounds of webhooks (services/extras/fleet/webhooks). */
export const webhookLimits = {
  /** How often crawls are checked for events to post, ms. */
  lookMs: 200,
  /**
   * Longest wait for an answer once the fleet stops, ms: current requests arrive, and a silent receiver delays no
   * restart.
   */
  stopMs: 1_000,
  /** Events of one request, and the number of characters after which it ends. */
  eventsMax: 100,
  charsSoft: 1 << 20,
  /** Time in which a receiver must answer, ms: it should accept the events, and process them later. */
  timeoutMs: 15_000,
  /** Bytes read of a response: only its status counts. */
  answerBytesMax: 16_384,
  /** Wait after a failed attempt, ms: doubled with each one, up to the maximum. */
  retryMinMs: 1_000,
  retryMaxMs: 600_000,
  /** Longest wait that a receiver may ask for by Retry-After, ms. */
  retryAfterMaxMs: 3_600_000,
  /** Current requests, of one owner and of all: a receiver that does not answer must not delay others. */
  ofOwnerMax: 8,
  requestsMax: 64,
  /** Characters of a failure that are reported. */
  failureCharsMax: 300,
} as const;
