/** Bounds on code from outside (services/fetcher/hooks). */
export const pluginLimits = {
  /** A hook that has not come back by then has failed: a lease lasts minutes, and the next URL of its host waits. */
  hookMs: 10_000,
  /** In outcomes, metrics and events. */
  nameCharsMax: 64,
} as const;
