/** Bounds of owners of crawls (services/extras/fleet/owners). */
export const ownerLimits = {
  /** Characters of a key: as of CRAWLSTREAM_HTTP_TOKEN. */
  keyCharsMin: 16,
  /** Crawls of one that run at once, and that are there, unless the file says otherwise. */
  crawlsMax: 20,
  keptMax: 200,
  /** Its calls a minute, and the part of them that may come at once. */
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
  /** How often usage is written, ms: after a kill it is counted again. */
  writeMs: 2_000,
} as const;
