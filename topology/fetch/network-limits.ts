/** Bounds of how a fetcher finds out that its own network is away, and that it is back. */
export const networkLimits = {
  /** Hosts of two owners fall silent together now and then; three that have nothing to do with each other do not. */
  silentTargetsLeast: 3,
  /** Hosts that have answered and are remembered, to be asked again. */
  witnessesMax: 64,
  /** First witnesses, mostly seeds, that are kept: an attacker with many made-up hosts cannot replace them all. */
  firstWitnesses: 16,
  /** Of those, asked at once: one may be away for other reasons. Before the network counts as away, all others are asked too. */
  askedAtOnce: 3,
  /** Probes at once while no host has answered this process yet: one of this many waiting hosts should work. */
  unprovenAtOnce: 16,
  /**
   * Leases that one fetcher of several keeps while its network is away: if all hosts that answered are gone for good, only another host
   * shows that the network is back. More would keep hosts from fetchers that work.
   */
  keptOfSeveral: 1,
  /** Time between two probes, ms. At the end of a crawl, when only dead hosts are left, this bounds the rate. */
  betweenMs: 1_000,
  /**
   * Wait for the next answer of hosts that have just answered, before any is asked, ms: more than a usual delay, so that a host with
   * pages to fetch gets no probes.
   */
  nextAnswerMs: 2_000,
  /** Longest wait for the answer to a probe, ms: most answers come within one second. */
  answerMs: 3_000,
  /**
   * Time between two probes while the network is away, ms: with the time for an answer, its return is noticed within
   * ten seconds.
   */
  againMs: 4_000,
  /**
   * How long a resumed crawl without a response waits for the outcomes of its other hosts, and how often it checks, ms.
   */
  othersMs: 5_000,
  lookMs: 250,
} as const;
