/** Bounds of what a service logs of one thing. */
export const lineLimits = {
  /** Lines that differ in their numbers alone are written so often within a window; of more, how many there were. */
  repeatsWritten: 5,
  /** A window, from its first line on, ms: an hour of a fault is three hundred lines at most. */
  windowMs: 60_000,
  /** Kinds of lines with counted repetitions, 200 bytes each; a new kind replaces the oldest. */
  kindsMax: 1_000,
} as const;
