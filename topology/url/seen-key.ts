/**
 * The key of the seen test: two URLs of one key are one page, whose first spelling is fetched.
 *
 * Fixed for a crawl's life (it is in the manifest by its version), so it holds no list that grows and no option. It
 * takes a URL that the policy has normalised and removes only what no server is known to tell apart:
 *   - the `=` of an empty value: `?a=` and `?a`;
 *   - `+` for `%20` in a query: both are a space in a form;
 *   - a parameter that repeats the one before it, name and value.
 * What may tell pages apart stays: the scheme (an https that fails must not hide the http that works), `www.`, index
 * pages, letter case, a trailing slash. Tracking and session parameters are left to the policy on purpose: an operator
 * who keeps one because it names pages on some site means those pages to be fetched.
 *
 * Idempotent. Shares its argument where there is no query.
 */
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
