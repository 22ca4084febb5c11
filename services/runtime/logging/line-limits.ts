/** Bounds of a service's log lines. */
export const lineLimits = {
  /** Lines that differ only in their numbers are written this often within a window; the rest are counted. */
  repeatsWritten: 5,
  /** Length of a window from its first line, ms: an hour of a fault gives at most 300 lines. */
  windowMs: 60_000,
  /** Kinds of lines with counted repetitions, 200 bytes each; a new kind replaces the oldest. */
  kindsMax: 1_000,
} as const;
