/** Bounds on filter lists loaded from files. */
export const listLimits = {
  /** Some ten times the largest public block lists; about 40 B each once compiled, ten times that while loading. */
  entriesMax: 10_000_000,
  /** Domains with numbers: the public rankings' length twice over. */
  numbersMax: 2_000_000,
  /** Patterns are tried one after another, 50 ns each: this many take the time that one page may take. */
  patternsMax: 1_000,
  /** The longest URL. */
  entryCharsMax: 2_048,
  /** A file is read whole. */
  fileBytesMax: 512 * 1024 * 1024,
} as const;
