/** Limits of the owners of crawls (services/extras/fleet/owners). */
export const ownerLimits = {
  /** Fewest characters of a key, as of CRAWLSTREAM_HTTP_TOKEN. */
  keyCharsMin: 16,
  /** Defaults of an owner: most crawls that run at once, and most crawls that exist. */
  crawlsMax: 20,
  keptMax: 200,
  /** Default of an owner: most calls a minute. The share of them that may arrive at once. */
  callsPerMinute: 600,
  burstShare: 0.1,
  /**
   * A call counts once more for each this many bytes of its body: reading and checking them costs about as much as a
   * small call.
   */
  callBytes: 65_536,
  /** How often the file of owners and their keys are read, ms. */
  readEveryMs: 2_000,
  /** How often usage is polled, ms; bounds the quota overshoot. */
  lookMs: 250,
  /** How often usage is written, ms. After a kill, unwritten usage is counted again. */
  writeMs: 2_000,
} as const;
