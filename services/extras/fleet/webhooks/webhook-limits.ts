/** Bounds of webhooks (services/extras/fleet/webhooks). */
export const webhookLimits = {
  /** How often crawls are looked through for something to post, ms. */
  lookMs: 200,
  /** An answer is waited for so long once the fleet stops, ms: what is under way arrives, and a silent receiver holds up no restart. */
  stopMs: 1_000,
  /** Events of one request, and characters of them after which it is over. */
  eventsMax: 100,
  charsSoft: 1 << 20,
  /** A receiver answers by then, ms: it is to take what it gets, and to work on it later. */
  timeoutMs: 15_000,
  /** Bytes read of a response: its status is what counts. */
  answerBytesMax: 16_384,
  /** Until an attempt after one that failed, ms: doubled with each one, up to the most. */
  retryMinMs: 1_000,
  retryMaxMs: 600_000,
  /** A receiver may ask for more time by Retry-After, up to this. ms */
  retryAfterMaxMs: 3_600_000,
  /** Requests under way, of one owner and of all: one receiver that does not answer may not hold up others'. */
  ofOwnerMax: 8,
  requestsMax: 64,
  /** Characters of a failure that are reported. */
  failureCharsMax: 300,
} as const;
