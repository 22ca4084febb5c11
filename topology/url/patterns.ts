/**
 * Patterns of a policy: regular expressions, matched anywhere in a URL.
 *
 * Two engines take them. `javascript` backtracks: an expression such as `(a+)+$` can take minutes for one URL, so that only
 * the operator's own command line and files use it. `linear` is RE2's (linear-patterns.ts): its time grows with the length of
 * the URL alone, so that patterns of owners and other strangers can be run in a process that others share.
 */

export const patternEngines = ['javascript', 'linear'] as const;
export type PatternEngine = (typeof patternEngines)[number];

/** The patterns of one field, in their order. */
export interface PatternList {
  readonly length: number;
  /** The first pattern that matches; null: none does. */
  first(url: string): string | null;
  /** Calls `found` with the index of each pattern that matches, ascending. */
  each(url: string, found: (index: number) => void): void;
}

/** Throws SyntaxError for a pattern that the engine does not take. */
export type CompilePatterns = (sources: readonly string[]) => PatternList;

export const javascriptPatterns: CompilePatterns = (sources) => {
  const expressions = sources.map((source) => new RegExp(source));
  return {
    length: expressions.length,
    first: (url) => expressions.find((expression) => expression.test(url))?.source ?? null,
    each(url, found) {
      for (let index = 0; index < expressions.length; index++) if (expressions[index]!.test(url)) found(index);
    },
  };
};
