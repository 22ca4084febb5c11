/** Bounds of one request to an object store. */
export const objectLimits = {
  /** A store that takes longer to answer a connection is as good as away. */
  connectMs: 5_000,
  /** Silence on a connection that is being used. */
  silenceMs: 30_000,
} as const;
