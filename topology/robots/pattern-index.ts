/**
 * The rules of one group, arranged so that a path finds its most specific rule without trying each (RFC 9309 §2.2.2).
 *
 * Most octets win, and `allow` wins a tie; both are packed into one number, `rank = 2 × octets + allow`.
 * Patterns without an inner `*` cost O(log rules): whole paths (`$`) by a map; prefixes in sorted order, where the
 * longest pattern that begins a path is the path's predecessor or one of the patterns that begin it. Patterns with
 * an inner `*` are tried from the highest rank down, until one matches or the rest could no longer win; where they are
 * many, those that need three characters in a row that the path lacks are left out first. Matching takes the first
 * place for each piece and never goes back, so its cost is the path's length plus the pattern's, however many `*`.
 */

export interface Rule {
  /** Canonical (escapes.ts) but for the special `*` and a final `$`. */
  readonly pattern: string;
  readonly allow: boolean;
}

export interface PatternIndex {
  /** Exact canonical path → rank. */
  readonly exact: ReadonlyMap<string, number>;
  /** Prefixes in code unit order. */
  readonly prefixes: readonly string[];
  /** Per prefix: the highest rank among it and the prefixes that begin it. */
  readonly prefixRanks: Float64Array;
  /** Per prefix: the index of the longest other prefix that begins it, or -1. */
  readonly parents: Int32Array;
  /** Highest rank first. */
  readonly wildcards: readonly Wildcard[];
  /** Two per wildcard: trigrams that a path must have to match it, or -1. */
  readonly wildcardTrigrams: Int32Array;
}

interface Wildcard {
  readonly rank: number;
  /** The texts between the `*`s; the first begins the path. */
  readonly pieces: readonly string[];
  /** The last piece ends the path. */
  readonly anchored: boolean;
}

export function indexPatterns(rules: readonly Rule[]): PatternIndex {
  const exact = new Map<string, number>();
  const prefixRank = new Map<string, number>();
  const wildcardRank = new Map<string, number>();
  for (const { pattern, allow } of rules) {
    const rank = 2 * pattern.length + (allow ? 1 : 0);
    const open = withoutEndStars(pattern);
    if (open.includes('*')) raise(wildcardRank, pattern.includes('**') ? pattern.replace(/\*+/g, '*') : pattern, rank);
    else if (open.endsWith('$')) raise(exact, open.slice(0, -1), rank);
    else raise(prefixRank, open, rank);
  }
  const prefixes = [...prefixRank.keys()].sort((a, b) => (a < b ? -1 : 1));
  const wildcards = [...wildcardRank].map(([pattern, rank]) => wildcard(pattern, rank)).sort((a, b) => b.rank - a.rank);
  return {
    exact,
    prefixes,
    ...chainPrefixes(prefixes, prefixRank),
    wildcards,
    wildcardTrigrams: Int32Array.from(wildcards.flatMap(neededTrigrams)),
  };
}

/** A `*` at the end adds nothing to a prefix. By hand: `/\*+$/` is quadratic on a run of `*` that ends elsewhere. */
function withoutEndStars(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern.charCodeAt(end - 1) === 0x2a) end--;
  return pattern.slice(0, end);
}

/** A pattern given twice counts by its highest rank: allow wins the tie. */
function raise(ranks: Map<string, number>, pattern: string, rank: number): void {
  const known = ranks.get(pattern);
  if (known === undefined || known < rank) ranks.set(pattern, rank);
}

function chainPrefixes(prefixes: readonly string[], rankOf: ReadonlyMap<string, number>) {
  const prefixRanks = new Float64Array(prefixes.length);
  const parents = new Int32Array(prefixes.length);
  for (const [i, prefix] of prefixes.entries()) {
    let parent = i - 1;
    while (parent >= 0 && !prefix.startsWith(prefixes[parent]!)) parent = parents[parent]!;
    parents[i] = parent;
    prefixRanks[i] = Math.max(rankOf.get(prefix)!, parent < 0 ? -1 : prefixRanks[parent]!);
  }
  return { prefixRanks, parents };
}

function wildcard(pattern: string, rank: number): Wildcard {
  const anchored = pattern.endsWith('$');
  const body = anchored ? pattern.slice(0, -1) : pattern;
  return { rank, pieces: body.split('*'), anchored };
}

/** The first and the last three characters of the longest piece. */
function neededTrigrams({ pieces }: Wildcard): [number, number] {
  const longest = pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), '');
  return longest.length < 3 ? [-1, -1] : [trigram(longest, 0), trigram(longest, longest.length - 3)];
}

/** 16 bits that stand for three characters; unequal trigrams may share them. */
function trigram(text: string, at: number): number {
  return (text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2)) & 0xffff;
}

/** The trigrams of a path, one byte each, in a table of 2^12 entries for short paths and 2^16 for others. */
function trigramsOf(path: string): Uint8Array {
  const present = new Uint8Array(path.length < 256 ? 0x1000 : 0x10000);
  const mask = present.length - 1;
  for (let at = path.length - 3; at >= 0; at--) present[trigram(path, at) & mask] = 1;
  return present;
}

/** From this many wildcards on, gathering the path's trigrams costs less than it saves. */
const filterFrom = 64;

/** Rank of the most specific pattern that matches; its lowest bit is set if the pattern allows. -1: no match. */
export function bestRank(index: PatternIndex, path: string): number {
  let best = index.exact.get(path) ?? -1;
  for (let i = predecessor(index.prefixes, path); i >= 0; i = index.parents[i]!) {
    if (!path.startsWith(index.prefixes[i]!)) continue;
    best = Math.max(best, index.prefixRanks[i]!);
    break;
  }
  const { wildcards, wildcardTrigrams } = index;
  const present = wildcards.length >= filterFrom ? trigramsOf(path) : null;
  const has = (key: number) => present === null || key < 0 || present[key & (present.length - 1)] === 1;
  for (let i = 0; i < wildcards.length; i++) {
    const candidate = wildcards[i]!;
    if (candidate.rank <= best) break;
    if (!has(wildcardTrigrams[2 * i]!) || !has(wildcardTrigrams[2 * i + 1]!)) continue;
    if (matches(candidate, path)) return candidate.rank;
  }
  return best;
}

/** Index of the last string that is not after `path`, or -1. */
function predecessor(sorted: readonly string[], path: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! <= path) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function matches({ pieces, anchored }: Wildcard, path: string): boolean {
  const first = pieces[0]!;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = pieces.length - 1;
  for (let i = 1; i < last; i++) {
    const found = path.indexOf(pieces[i]!, at);
    if (found < 0) return false;
    at = found + pieces[i]!.length;
  }
  const end = pieces[last]!;
  return anchored ? path.length - end.length >= at && path.endsWith(end) : path.indexOf(end, at) >= 0;
}
