/** Bounds of owners' shares of the event loop (loop-shares.ts). */
export const loopShareLimits = {
  /** Interval of the check whether the loop is busy, ms: about a host's delay. */
  lookMs: 250,
  /** Utilization from which the loop counts as busy: turns become long well before a processor is full. */
  busyFrom: 0.8,
  /** Time for which an owner's use counts, ms: a burst is forgotten in a minute, and steady work is recognized. */
  rememberedMs: 10_000,
  /** Use of that time below which an owner does not count among those who share, ms. */
  activeMs: 5,
  /**
   * Part of an n-th of the time below which an owner is never over: calls, garbage collection and consumers may keep
   * the loop busy.
   */
  shareFrom: 0.4,
  /**
   * Most time of the loop for each ms that is counted for an owner. A profile showed about 2.5; what exceeds this bound
   * is put down to the operator's own work.
   */
  realMax: 2,
  /** Most that an owner can save up, as time at the level, ms. */
  creditMs: 1_000,
  /** Most that an owner can owe, as time at the level, ms: its longest wait for one dear decision. */
  debtMsMax: 30_000,
  /** Least factor by which the level changes at a look: a full loop needs some seconds to become free. */
  fallMin: 0.9,
  /** Largest such factor: on an idle loop, nobody waits for long. */
  riseMax: 1.5,
  /** Allowed excess over the lightest owner, so that owners with equal use do not take turns at waiting. */
  slack: 1.25,
  /** Wait before a crawl without a share is checked again, ms. */
  againMs: 50,
  /**
   * Age from which a request under way counts less, in ms that the loop had to spare. So an owner with slow hosts can use
   * its share.
   */
  requestAgeMs: 100,
  /** Fixed cost of a request beside that of its response, ms: its lease, records and decisions. */
  requestMs: 0.5,
} as const;
