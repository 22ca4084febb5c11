/** Bounds of patterns that run in linear time: their number does not matter for a URL, their size does where the cache is full. */
export const patternLimits = {
  /** Patterns of one policy: 1,000 of common size compile in a fifth of a second. */
  patternsMax: 1_000,
  /** Characters of one pattern: longer than a URL may be, it would match none. */
  charsMax: 2_048,
  /** Characters of all patterns of a policy together. */
  charsOfAllMax: 128 * 1024,
  /** States of one pattern (`[a-z]{1,100}` has 200): beyond, a URL of 2,000 characters can take a tenth of a second. */
  instructionsMax: 1_000,
  /** Largest cache of a policy's automaton, bytes: enough for some hundred patterns at full speed. */
  memoryBytesMax: 2 * 1024 * 1024,
} as const;
