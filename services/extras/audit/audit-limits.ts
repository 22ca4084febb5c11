/** Tolerances of an audit, ms. */
export const auditLimits = {
  /** Difference between the clocks of two fetchers: machines that keep time by NTP are within it. */
  skewMs: 100,
  /** Time until an operator's order, or a pause that one slot of a host receives, is known everywhere. */
  noticeMs: 10_000,
} as const;
