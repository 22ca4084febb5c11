/** Bounds on decisions about responses. */
export const responseLimits = {
  /** Longest Retry-After that is believed, seconds: six hours, as curl's. A host that asks for more is asked again then. */
  retryAfterSecondsMax: 21_600,
} as const;
