/**
 * The data from which one host's traps are detected: a plain value, JSON-able, a few kB at most.
 *
 * A summary is never modified: each step returns a new one that shares the unchanged parts. Two hosts that saw the
 * same events in the same order have equal summaries. So the frontier need not log them: they follow from the changes
 * that admit and resolve URLs.
 */
export interface TrapSummary {
  /** The shapes most likely to be traps, at most `shapesMax`. */
  readonly shapes: readonly ShapeStat[];
  /** Paths with queries, at most `pathsMax`. */
  readonly paths: readonly PathStat[];
  /** Parameters with tokens as values, at most `parametersMax`. */
  readonly parameters: readonly ParameterStat[];
  /** Prefixes with the results of their fetches, at most `prefixesMax`. */
  readonly prefixes: readonly PrefixStat[];
  /** Fetched URLs without one of their values, at most `basesMax`, newest last. */
  readonly bases: readonly VariantBase[];
  /** Results of fetches with several values at a place, at most `placesMax`. */
  readonly places: readonly PlaceStat[];
  /** Hashes of contents seen last, each with its prefix, 32 bits each, newest last. */
  readonly contents: readonly number[];
  /** Fetches, and those that brought something good; both halve now and then, so that a host may recover. */
  readonly fetches: number;
  readonly good: number;
  /** Number of events so far; gives the age of entries. */
  readonly events: number;
}

/** Statistics of a shape. A chain goes one step deeper with each new URL, and brings nothing else. */
export interface ShapeStat {
  readonly shape: string;
  /** Events counter at its last occurrence. */
  readonly met: number;
  /** Greatest link distance, and the number of its URLs at that distance. */
  readonly depth: number;
  readonly width: number;
  /** URLs of other, unchained shapes found at about this depth: the yield of the chain. */
  readonly brought: number;
  /** Steps of the chain so far without new URLs. */
  readonly steps: number;
  /** Date in the URL of the newest step, as written; null: none. */
  readonly date: string | null;
  /** There was a date in each step, and each step moved it. */
  readonly calendar: boolean;
}

export interface PathStat {
  readonly path: string;
  readonly met: number;
  /** 32-bit hashes of distinct sets of parameter names. */
  readonly sets: readonly number[];
  /** URLs with three and more parameters. */
  readonly variants: number;
}

export interface ParameterStat {
  readonly name: string;
  readonly met: number;
  readonly values: number;
  /** 32-bit hashes of paths it occurred on, a few. */
  readonly paths: readonly number[];
}

export interface PrefixStat {
  readonly prefix: string;
  readonly met: number;
  readonly fetches: number;
  /** Those of them that are duplicates of another page under the prefix, soft 404s, or noindex pages without links. */
  readonly wasted: number;
}

/** A page under one value of a place, to be compared with the next one. Hashes have 31 bits. */
export interface VariantBase {
  /** Hashes of the place, and of the URL without the value. */
  readonly place: number;
  readonly base: number;
  /** Hash of the value. */
  readonly value: number;
  /** Signature of the page; empty: not known. */
  readonly signature: string;
}

/** Pairs of pages with URLs that differed in the value at this place alone. */
export interface PlaceStat {
  readonly place: string;
  readonly met: number;
  /** Pairs of the same page. */
  readonly same: number;
  /** Pairs of different pages. */
  readonly other: number;
  /** Pairs that show neither: a signature was missing, or nothing was known to compare them with. */
  readonly unread: number;
  /**
   * Hashes of the URLs without the value: of those with the same page, and of those with different ones, a few each.
   */
  readonly bases: readonly number[];
  readonly refuted: readonly number[];
}

/** The order is part of the changelog's format: append, never reorder. `operator`: by hand. */
export const trapReasons = [
  'repeatedSegments',
  'calendar',
  'counter',
  'tokens',
  'parameterExplosion',
  'duplicateContent',
  'hostYield',
  'operator',
  'sortLinks',
  'knownViews',
  'sameContent',
] as const;
export type TrapReason = (typeof trapReasons)[number];

export interface Trap {
  /**
   * The trapped URLs, as a beginning of shapes (shape.ts): `/calendar/#/#` covers all its months and all paths below.
   * A pattern that begins with `&` is a parameter, on any path. `//` covers all paths that repeat themselves. A
   * pattern that ends in `{}` covers the direct children, or exactly these parameters. A pattern that begins with `?`
   * covers the sort links of directory indexes (`?C=`) or views of known software (known-views.ts). A pattern that
   * begins with `{` gives places their values (places.ts): URLs with other values count as the URL with these.
   */
  readonly pattern: string;
  readonly reason: TrapReason;
  /** Plain words, with the numbers that decided. */
  readonly detail: string;
}

export const emptySummary: TrapSummary = {
  shapes: [],
  paths: [],
  parameters: [],
  prefixes: [],
  bases: [],
  places: [],
  contents: [],
  fetches: 0,
  good: 0,
  events: 0,
};
