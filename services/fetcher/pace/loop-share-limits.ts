/** Bounds of owners' shares of the event loop (loop-shares.ts). */
export const loopShareLimits = {
  /** How often it is looked whether the loop has time to spare, ms: a host's delay is as long. */
  lookMs: 250,
  /** From this part of the time on it has none: turns grow long well before a processor is full. */
  busyFrom: 0.8,
  /** What an owner used counts for about so long, ms: a burst is forgotten in a minute, and steady work is seen as such. */
  rememberedMs: 10_000,
  /** An owner that used less than this of it is not one of those who share, ms. */
  activeMs: 5,
  /** Below this part of its n-th of the time an owner is never over: calls, garbage and consumers may be what keeps the loop busy. */
  shareFrom: 0.4,
  /** Beyond its share an owner may use so much of it: those who use the same do not take turns at waiting. */
  slack: 1.25,
  /** Who waits for the loop is looked at again so soon, ms. */
  againMs: 50,
  /** What a request costs beside what its answer costs, ms: its lease, its records, and what is decided of it. */
  requestMs: 0.5,
} as const;
