/**
 * Fragments that may be part of an address: `#!…`, of the AJAX crawling scheme. Whether they are is for the crawl's policy to
 * say (`normalize.fragment`), so whatever finds URLs keeps them, and the normaliser drops or escapes them.
 */

/** A URL or a reference without its fragment, unless that is one of these. */
export function withoutPlainFragment(url: string): string {
  const hash = url.indexOf('#');
  return hash < 0 || isHashbang(url, hash) ? url : url.slice(0, hash);
}

/** `hash`: where the `#` stands. */
export function isHashbang(url: string, hash: number): boolean {
  return url.charCodeAt(hash + 1) === exclamation;
}

const exclamation = 33;
