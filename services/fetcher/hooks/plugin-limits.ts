/** Bounds on code from outside (services/fetcher/hooks). */
export const pluginLimits = {
  /** A hook that has not returned by then has failed: a lease lasts minutes, and the next URL of its host waits. */
  hookMs: 10_000,
  /** Length of a plugin's name, which is in outcomes, metrics and events. */
  nameCharsMax: 64,
} as const;
