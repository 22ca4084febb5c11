/** Limits of webhooks (services/extras/fleet/webhooks). */
export const webhookLimits = {
  /** How often crawls are checked for events to post, ms. */
  lookMs: 200,
  /**
   * Longest wait for an answer when the fleet stops, ms: enough for requests under way, and a silent receiver does not
   * delay a restart.
   */
  stopMs: 1_000,
  /** Most events of one request, and the number of characters after which it ends. */
  eventsMax: 100,
  charsSoft: 1 << 20,
  /** Time in which a receiver must answer, ms: it should accept the events, and process them later. */
  timeoutMs: 15_000,
  /** Most bytes read of a response: only its status counts. */
  answerBytesMax: 16_384,
  /** Wait after a failed attempt, ms: doubled with each attempt, up to the maximum. */
  retryMinMs: 1_000,
  retryMaxMs: 600_000,
  /** Longest wait that a receiver may ask for by Retry-After, ms. */
  retryAfterMaxMs: 3_600_000,
  /** Most requests at once, of one owner and of all owners: a silent receiver must not delay others. */
  ofOwnerMax: 8,
  requestsMax: 64,
  /** Most characters of a reported failure. */
  failureCharsMax: 300,
} as const;
