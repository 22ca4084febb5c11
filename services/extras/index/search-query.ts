/**
 * Converts a typed search to an expression of SQLite's FTS5.
 *
 * All words are required; "quoted words" must be in that order; -word must be absent; word* matches words that begin
 * so. Everything else is text.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { charactersApart } from './run-on-scripts.ts';

/** Throws INVALID_ARGUMENT if there is nothing to search for. */
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
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `${JSON.stringify(typed)} has no words to search for: give at least one word without -`,
    );
  }
  return unwanted.length === 0 ? wanted.join(' AND ') : `(${wanted.join(' AND ')}) NOT (${unwanted.join(' OR ')})`;
}

/** An expression for titles that begin with the typed words; null: there are operators, or nothing to search for. */
export function titleExpression(typed: string): string | null {
  const words = wordsOf(typed);
  if (words.length === 0 || /(?:^|\s)-\S|"|\*(?:\s|$)/.test(typed)) return null;
  return `title : ${phraseOf(words, '^ ', '')}`;
}

/**
 * A phrase of words in order. Letters of scripts without spaces are indexed one by one; text that an earlier release
 * indexed is found run by run, as before.
 */
function phraseOf(words: readonly string[], before: string, behind: string): string {
  const together = words.join(' ');
  const apart = charactersApart(together);
  const phrase = (text: string) => `${before}"${text}"${behind}`;
  return apart === together ? phrase(together) : `(${phrase(apart)} OR ${phrase(together)})`;
}

/** Splits a text as the index does, except for scripts without spaces. */
export function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}
