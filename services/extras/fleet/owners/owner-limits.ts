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
  /** A call counts once more for each so many bytes of its body: reading and checking them takes about what a small call takes. */
  callBytes: 65_536,
  /** How often the file of owners and their keys are read, ms. */
  readEveryMs: 2_000,
  /** How often what its crawls have fetched is added up, ms: by so much may it go beyond its quota. */
  lookMs: 250,
  /** How often that is written, ms: after a kill it is added up again. */
  writeMs: 2_000,
} as const;
