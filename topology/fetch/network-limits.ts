/** Bounds of how a fetcher finds out that its own network is away, and that it is back. */
export const networkLimits = {
  /** Hosts of two owners fall silent together now and then; three that have nothing to do with each other do not. */
  silentTargetsLeast: 3,
  /** Hosts that have answered and are remembered, to be asked again. */
  witnessesMax: 64,
  /** Of those, the first ones, mostly seeds, stay: whoever makes up many hosts cannot replace them all. */
  firstWitnesses: 16,
  /** Of those, asked at once: one may be away for other reasons. Before the network counts as away, all others are asked too. */
  askedAtOnce: 3,
  /** The same where no host has answered this process: of so many hosts that wait, one works. */
  unprovenAtOnce: 16,
  /**
   * Leases that one fetcher of several keeps while its network is away: if all hosts that answered are gone for good, only another host
   * shows that the network is back. More would keep hosts from fetchers that work.
   */
  keptOfSeveral: 1,
  /** Between two such questions, ms: at the end of a crawl, with only dead hosts left, it asks no more often. */
  betweenMs: 1_000,
  /** How long they may take to answer, ms: most do within one second. */
  answerMs: 3_000,
  /** The same while the network is away: with the time for an answer, its return is noticed within ten seconds. */
  againMs: 4_000,
  /**
   * How long a resumed crawl without a response waits for the outcomes of its other hosts, and how often it checks, ms.
   */
  othersMs: 5_000,
  lookMs: 250,
} as const;
