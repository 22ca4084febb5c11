/**
 * Reads usage preferences in X-Robots-Tag and `<meta name=robots>`. They have no standard. The sources are the
 * documentation of Google and Bing (noindex, noarchive, nosnippet, unavailable_after) and DeviantArt (noai, noimageai).
 *
 * | word | bars |
 * | --- | --- |
 * | noindex, none | search |
 * | noarchive, nocache | archive |
 * | nosnippet, max-snippet:0 | snippets of a search, and ai-input (as Google documents it) |
 * | noai, noimageai | ai-input and ai-train; images are not separated from their page, so both words count for the page |
 * | unavailable_after: date | search and archive, from then on; an unreadable date has no effect |
 */
import { isRobotsName } from '../robots/product-token.ts';
import { type Statement, type Subject, statement } from './statement.ts';
import { parseTagDate } from './tag-date.ts';

const bars: ReadonlyMap<string, readonly Subject[]> = new Map<string, readonly Subject[]>([
  ['noindex', ['search']],
  ['none', ['search']],
  ['noarchive', ['archive']],
  ['nocache', ['archive']],
  ['nosnippet', ['snippet', 'ai-input']],
  ['noai', ['ai-input', 'ai-train']],
  ['noimageai', ['ai-input', 'ai-train']],
]);
const anyWord = /no(?:index|ne|archive|cache|snippet|ai|imageai)|unavailable_after|max-snippet/i;

/** Could there be a word for us? A look that costs little, as most values have none. */
export function mayBar(value: string): boolean {
  return anyWord.test(value);
}

/** Names before one word: a crawler's, and that of a rule with a value. */
const namesMax = 8;
const scope = /^\s*([a-z][\w.-]*|\*)\s*:(.*)$/is;

/**
 * Reads the usage preferences in a value. `tokens`: our names in lower case, since a part of a header may be addressed
 * to one crawler (`otherbot: noai`). null: the content of a meta element, which applies to us as a whole.
 */
export function robotsTag(value: string, source: string, tokens: readonly string[] | null): Statement[] {
  if (!mayBar(value)) return [];
  const barred = new Map<Subject, number>();
  const bar = (use: Subject, fromMs: number) => barred.set(use, Math.min(barred.get(use) ?? fromMs, fromMs));
  let forUs = true;
  /** Text after unavailable_after that is not a date yet: a date contains commas. */
  let dateText: string | null = null;

  const takeDate = (text: string): void => {
    const atMs = parseTagDate(text);
    dateText = atMs === null ? text : null;
    if (atMs === null || !forUs) return;
    bar('search', atMs);
    bar('archive', atMs);
  };
  const take = (part: string): void => {
    let said = part;
    for (let names = 0; names < namesMax; names++) {
      const [, name = '', rest = ''] = scope.exec(said) ?? [];
      const lower = name.toLowerCase();
      if (lower === 'unavailable_after') {
        takeDate(rest);
        return;
      }
      if (dateText !== null && lower === '') takeDate(`${dateText},${said}`);
      dateText = null;
      if (lower === '') break;
      if (lower.startsWith('max-')) {
        if (!forUs || lower !== 'max-snippet' || rest.trim() !== '0') return;
        for (const use of bars.get('nosnippet')!) bar(use, 0);
        return;
      }
      if (tokens !== null) forUs = lower === '*' || isRobotsName(lower, tokens);
      said = rest;
    }
    if (!forUs) return;
    for (const word of said.toLowerCase().split(/[\s;]+/)) for (const use of bars.get(word) ?? []) bar(use, 0);
  };
  for (const part of value.split(',')) take(part);
  return [...barred].map(([use, fromMs]) => statement(use, 'deny', source, value, fromMs));
}
