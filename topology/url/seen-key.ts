/**
 * The key of the seen test: two URLs with the same key count as one page, and the spelling found first is fetched.
 *
 * The key is fixed for the life of a crawl (the manifest holds its version), so it has no options and no list that
 * could grow. It takes a URL that the policy has normalised, and removes only differences that no known server
 * distinguishes:
 *   - the `=` of an empty value: `?a=` and `?a`;
 *   - `+` for `%20` in a query: both are a space in a form;
 *   - a parameter that repeats the one before it, name and value.
 * Differences that may distinguish pages stay: the scheme (an https that fails must not hide the http that works),
 * `www.`, index pages, letter case, a trailing slash. Tracking and session parameters are left to the policy on
 * purpose: an operator who keeps one, because it names pages on some site, wants those pages fetched.
 *
 * Idempotent. Returns its argument if there is no query.
 */
import type { NormalizeStep } from './normalize.ts';

export const seenKeyVersion = 1;

export function seenKey(url: string): string {
  const question = url.indexOf('?');
  if (question < 0) return url;
  const kept: string[] = [];
  for (const piece of url.slice(question + 1).split('&')) {
    let key = piece.includes('+') ? piece.replaceAll('+', '%20') : piece;
    // `a==` has a value, `=`.
    if (key.indexOf('=') === key.length - 1 && key !== '=') key = key.slice(0, -1);
    if (key !== '' && key !== kept.at(-1)) kept.push(key);
  }
  const query = kept.join('&');
  return query === '' ? url.slice(0, question) : `${url.slice(0, question + 1)}${query}`;
}

/** The steps by which `seenKey` changes a URL, in order; `check url` prints them. Empty if key and URL are equal. */
export function explainSeenKey(url: string): NormalizeStep[] {
  const explained: NormalizeStep[] = [];
  let before = url;
  for (const { step, apply } of keySteps) {
    const question = before.indexOf('?');
    if (question < 0) break;
    const query = apply(before.slice(question + 1).split('&')).join('&');
    const after = query === '' ? before.slice(0, question) : `${before.slice(0, question + 1)}${query}`;
    if (after !== before) explained.push({ step, before, after });
    before = after;
  }
  return explained;
}

/** The three removals of `seenKey`, one by one; together they give the same key. */
const keySteps: readonly { readonly step: string; readonly apply: (pieces: string[]) => string[] }[] = [
  { step: 'key.plusSpaces', apply: (pieces) => pieces.map((piece) => piece.replaceAll('+', '%20')) },
  {
    step: 'key.emptyValues',
    apply: (pieces) => pieces.map((piece) => (/^[^=]+=$/.test(piece) ? piece.slice(0, -1) : piece)),
  },
  {
    step: 'key.repeatedParameters',
    apply: (pieces) => {
      const filled = pieces.filter((piece) => piece !== '');
      return filled.filter((piece, at) => piece !== filled[at - 1]);
    },
  },
];
