/**
 * Words about use in X-Robots-Tag and `<meta name=robots>`. They have no standard: the sources are what Google and
 * Bing document of noindex, noarchive, nosnippet and unavailable_after, and DeviantArt of noai and noimageai.
 *
 * | word | bars |
 * | --- | --- |
 * | noindex, none | search |
 * | noarchive, nocache | archive |
 * | nosnippet, max-snippet:0 | the text that a search shows, and what a model is given (as Google documents it) |
 * | noai, noimageai | what models are given and trained on; a page is not taken apart, so its images count for it |
 * | unavailable_after: date | search and archive, from then on; a date that can't be read says nothing |
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
 * `tokens`: our names in lower case, to whom a part of a header may be addressed (`otherbot: noai`); null: a meta
 * element's content, which is for us as a whole.
 */
export function robotsTag(value: string, source: string, tokens: readonly string[] | null): Statement[] {
  if (!mayBar(value)) return [];
  const barred = new Map<Subject, number>();
  const bar = (use: Subject, fromMs: number) => barred.set(use, Math.min(barred.get(use) ?? fromMs, fromMs));
  let forUs = true;
  /** Text after unavailable_after that is no date yet: dates have commas. */
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
