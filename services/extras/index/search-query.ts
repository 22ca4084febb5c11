/**
 * What people type into a search, as an expression of SQLite's FTS5.
 *
 * Words must all be there; "quoted words" in that order; -word must not; a word* begins so. Everything else is text.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { charactersApart } from './run-on-scripts.ts';

/** Throws INVALID_ARGUMENT where nothing is left to look for. */
export function ftsExpression(typed: string): string {
  const wanted: string[] = [];
  const unwanted: string[] = [];
  for (const [, minus, phrase, word] of typed.matchAll(/(-?)(?:"([^"]*)"|([^\s"]+))/g)) {
    const text = phrase ?? word ?? '';
    const begins = phrase === undefined && text.endsWith('*');
    const words = wordsOf(text);
    // Hyphenated and dotted words are phrases: that is how they were indexed.
    if (words.length > 0) (minus === '-' ? unwanted : wanted).push(phraseOf(words, '', begins ? '*' : ''));
  }
  if (wanted.length === 0) {
    throw new CrawlstreamError('INVALID_ARGUMENT', `${JSON.stringify(typed)} has no words to search for`);
  }
  return unwanted.length === 0 ? wanted.join(' AND ') : `(${wanted.join(' AND ')}) NOT (${unwanted.join(' OR ')})`;
}

/** Titles that begin with what was typed; null: it has operators, or nothing to look for. */
export function titleExpression(typed: string): string | null {
  const words = wordsOf(typed);
  if (words.length === 0 || /(?:^|\s)-\S|"|\*(?:\s|$)/.test(typed)) return null;
  return `title : ${phraseOf(words, '^ ', '')}`;
}

/**
 * Words in their order. Letters of scripts that use no spaces are indexed one by one; what an earlier release has indexed is
 * found as it was, run by run.
 */
function phraseOf(words: readonly string[], before: string, behind: string): string {
  const together = words.join(' ');
  const apart = charactersApart(together);
  const phrase = (text: string) => `${before}"${text}"${behind}`;
  return apart === together ? phrase(together) : `(${phrase(apart)} OR ${phrase(together)})`;
}

/** Splits a text as the index does, but for scripts that use no spaces. */
export function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}
