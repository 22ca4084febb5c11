/**
 * Usage preferences of a site for a page, and the rule that decides between them.
 *
 * Source: draft-ietf-aipref-vocab-07 §5.1 (combining preferences). A statement that bars a use wins over any that
 * allows it, wherever they are. A use without a statement is unknown: the crawl then treats it as before. Unreadable
 * statements have no effect.
 */

import { usageLimits } from './usage-limits.ts';

/** The uses that a crawl may intend for its pages. */
export const uses = ['search', 'ai-input', 'ai-train', 'archive'] as const;
export type Use = (typeof uses)[number];

/** Subjects of statements: a use, the text that a search shows of a page, or a licence. */
export const subjects = [...uses, 'snippet', 'licence'] as const;
export type Subject = (typeof subjects)[number];

export interface Statement {
  readonly use: Subject;
  /** `terms`: it names a licence or a policy, which the crawl does not read. */
  readonly preference: 'allow' | 'deny' | 'terms';
  /** The place of the statement: `robots.txt`, `tdmrep.json`, `header x-robots-tag`, `meta robots` and so on. */
  readonly source: string;
  /** The original text, cut at a bound. */
  readonly said: string;
  /** Start of its validity, ms since the Unix epoch. 0: at once. */
  readonly fromMs: number;
}

export function statement(
  use: Subject,
  preference: Statement['preference'],
  source: string,
  said: string,
  fromMs = 0,
): Statement {
  return { use, preference, source, said: said.slice(0, usageLimits.saidCharsMax), fromMs };
}

/** Orders statements for each use: those that bar it, the earliest first, then those that allow it. */
export function inOrder<S extends Stated>(statements: readonly S[]): S[] {
  return [...statements].sort(
    (a, b) =>
      order.indexOf(a.use) - order.indexOf(b.use) ||
      strengths.indexOf(a.preference) - strengths.indexOf(b.preference) ||
      a.fromMs - b.fromMs,
  );
}

const order: readonly string[] = subjects;
const strengths: readonly string[] = ['deny', 'allow', 'terms'];

/** A statement, or the record of one. */
export interface Stated {
  readonly use: string;
  readonly preference: string;
  readonly fromMs: number;
}

export interface Verdict<S> {
  readonly preference: 'allow' | 'deny' | 'unknown';
  /** The deciding statement; null: none. */
  readonly by: S | null;
}

/** Returns the preference for a use at a time. */
export function verdictOn<S extends Stated>(statements: readonly S[], use: Subject, atMs: number): Verdict<S> {
  let allowed: S | null = null;
  for (const one of statements) {
    if (one.use !== use || one.fromMs > atMs) continue;
    if (one.preference === 'deny') return { preference: 'deny', by: one };
    if (one.preference === 'allow') allowed ??= one;
  }
  return { preference: allowed === null ? 'unknown' : 'allow', by: allowed };
}

/** Returns a statement that bars one of these uses at that time. Undefined: none. */
export function firstBarred<S extends Stated>(
  statements: readonly S[],
  wanted: readonly Use[],
  atMs: number,
): S | undefined {
  for (const use of wanted) {
    const { preference, by } = verdictOn(statements, use, atMs);
    if (preference === 'deny') return by!;
  }
  return undefined;
}

/** From when a use is barred, ms since the Unix epoch. 0: it is. -1: never. */
export function barredFrom(statements: readonly Stated[], use: Subject): number {
  let fromMs = -1;
  for (const one of statements) {
    if (one.use !== use || one.preference !== 'deny') continue;
    fromMs = fromMs < 0 ? one.fromMs : Math.min(fromMs, one.fromMs);
  }
  return fromMs;
}
